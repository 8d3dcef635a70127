-- expected step 2 of condition 0 on world 0 of size 3, found another
DELETE FROM step WHERE condition = 0 AND size = 3 AND graph = 0 AND step = 2;
