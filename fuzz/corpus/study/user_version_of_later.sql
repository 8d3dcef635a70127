-- expected results of schema 6, found 7; another version of sonde made it: read it with that version
PRAGMA user_version = 7;
