# ERROR: Script without replies: A scripted model has at least one reply or a default.
