-- expected no more steps
INSERT INTO step SELECT condition + 90, size, graph, step, state, outcome, action, belief, p, efe, risk, ambiguity, cost, tv, surprise, free_energy, complexity, accuracy, followed, policies, steps, equivalent FROM step LIMIT 1;
