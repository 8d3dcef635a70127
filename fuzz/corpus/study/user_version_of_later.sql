-- expected results of schema 3, found 4; another version of sonde made it: read it with that version
PRAGMA user_version = 4;
