"""`make bench`: what the commands cost, against their peers, as ratios within one run."""
