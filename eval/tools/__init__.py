"""w2v beside other tools: the same corpus, the same settings, a process each."""
