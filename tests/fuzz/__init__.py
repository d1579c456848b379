"""The guard's proof: statements it allows are sent to real engines as a privileged login, and
nothing may change. `python -m fuzz` from the tests folder, or `make fuzz`.

    grammar   makes statements out of honest and hostile parts
    mutate    changes statements: comments, quotes, case, space, letters, nesting, splices
    targets   the engines: canaries, one statement at a time, a fingerprint of all that may change
    found     what was found, as rows of a case file
    campaign  the loop, the bisection of a batch that changed something, the shrinking
"""
