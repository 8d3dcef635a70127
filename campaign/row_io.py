"""Input and output refused to the command: the k-th system call of every kind, of every verb."""
import refused
import rows


class InputOutput(rows.Row):
    name = "io"
    what = "Input and output refused"
    how = ("the same library makes the k-th open, read, write, fsync, rename or link, removal, "
           "truncation or close fail (EIO, ENOSPC, EINTR, EMFILE), or do half of what was asked, "
           "once or from then on, for every k and every verb: every file is the old one or the new "
           "one, nothing else is left, the exit status is 0 only if everything is there; a "
           "database is gone on from, and ends with the rows of one that was not disturbed.")
    unit = "refusals"
    kind = "io"
    parts = list(refused.CASES)

    def prepare(self):
        self.build = self.build or rows.build("gcc", "sonde")

    def step(self, start, seconds):
        return refused.take(self.build / "sonde", self.kind, start, seconds)
