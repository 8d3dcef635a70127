"""Certificates of random models, against brute force that shares nothing with the library."""
import subprocess

import rows


class Certificates(rows.Row):
    name = "certificates"
    what = "Every field of every certificate, open and closed loop"
    how = ("random models and graph worlds (`campaign/certificates.c`), a few searches on each: "
           "γ from 1e-3 to 1e5, C up to ±1e5, zeros and traces of 1e-18, E with zeros, habits, "
           "actions that tie, one step, one action, budgets, ε from 0 to 1, weights from 0 to "
           "1000, all forms of novelty, coupled factors, A and costs by action, allowed and listed "
           "policies, the three backups, discounts, merging or not, no horizon; and what some "
           "agents decide later, after acting and seeing what came of it. Brute force lists all "
           "policies or follows all histories in long double and shares no code with the library.")
    unit = "models"
    goal = 100_000
    unreached = ["Without a horizon discounts are 0.2 at most here, so that all histories that "
                 "weigh anything can be followed; larger ones are held to other solvers in `make "
                 "test`."]
    # models of one run of the program; it ends by itself when its time is over
    most = 1_000_000

    def prepare(self):
        self.build = self.build or rows.build("gcc", "campaign_certificates")

    def step(self, start, seconds):
        done = subprocess.run([str(self.build / "campaign" / "certificates"), str(start),
                               str(self.most), str(seconds)], capture_output=True, text=True,
                              check=False)
        *wrong, last = done.stdout.splitlines() or [""]
        if done.returncode not in (0, 1) or not last.startswith("models "):
            # which model it was that ended the program, the next step finds out one by one
            return self.one_by_one(start, done.returncode)
        words = last.split()
        return rows.Step(int(words[1]), start + int(words[1]), wrong,
                         {"searches": int(words[3])})

    def one_by_one(self, start, status):
        """The first model from here on that ends the program."""
        for number in range(start, start + self.most):
            done = subprocess.run([str(self.build / "campaign" / "certificates"), str(number), "1",
                                   "1e9"], capture_output=True, text=True, check=False)
            if done.returncode not in (0, 1):
                return rows.Step(number + 1 - start, number + 1,
                                 [f"model {number} ended the program with {done.returncode}"])
        return rows.Step(0, start, [f"the program ended with {status}, and not again"])
