-- expected results of schema 5, found 5; another version of sonde made it: read it with that version
PRAGMA user_version = 5;
