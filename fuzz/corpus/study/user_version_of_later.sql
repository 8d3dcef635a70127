-- expected results of schema 2, found 3; another version of sonde made it: read it with that version
PRAGMA user_version = 3;
