"""The same of what learns, replays and fits (row_mutants.py)."""
import areas
import row_mutants


class Learning(row_mutants.Mutation):
    name = "learning"
    what = "Mutation of learning, replay and fits"
    how = ("`campaign/mutate.py learning` changes an operator, a constant or an index in "
           "`src/learn`, `src/replay`, `lab/fit` and SPM's scheme (without what reads tables and "
           "writes documents), compiles it, and makes a quick check: the tests of that stage that "
           "take a second or two, in C and in Python, and the answers to 280 commands, of agents "
           "that learn, replays, fits, comparisons and recoveries (`tools/golden_lives.py`). What "
           "survives it has longer tests against it: all tests of the stage, agents and fits that "
           "were written apart (`tests/oracle`), sanitizers. What counts, and what becomes of "
           "survivors, is as with [mutation](#mutation).")
    goal = 100
    unreached = ["Survivors were read, and tests written for them, of the mutants up to the number "
                 "154 alone: of others fewer may be caught. What was written for the last of them "
                 "was seen to catch those, one by one."]
    area = areas.LEARNING
