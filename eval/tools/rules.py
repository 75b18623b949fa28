"""Rules in which the tools differ when they are told the same."""

RULES = {
    "gensim": (
        "gensim learns nothing from a pair whose score is beyond +-6; w2v takes the exact sigmoid and learns from "
        "every pair.",
        "In each of n threads of gensim's `corpus_file` mode the learning rate follows that thread's own share of the "
        "epoch, so that it falls only an n-th of the way within an epoch: it is higher than asked for, most so in few "
        "epochs.",
        "gensim draws noise words for each pair; w2v for each window, and neighbouring windows share some "
        "(`--share-noise`).",
        "gensim reads a plain text file, a sentence a line, words separated by white space, and cuts lines after "
        "10,000 words.",
    ),
    "fasttext": (
        "Subwords are off (maxn 0), so that both train a vector a word.",
        "Noise words are drawn in proportion to the square root of the count; w2v follows `--noise-power`, so that 0.5 "
        "makes them alike.",
        "An epoch is over when as many words of the vocabulary were seen as the file has words of any kind, rare ones "
        "and line ends included: fastText goes through more of the text in as many epochs.  Its words/s count what it "
        "went through.",
        "The centre word predicts its context (w2v `--direction context-from-centre`); here the context predicts it.",
        "Each end of a line is a word, `</s>`, with a vector; it is taken out of the vectors here.",
        "The learning rate ends at 0.  Scores are cut at +-8.  Lines are cut after 1,024 words.  Shares for the "
        "subsampling are of all words of the file.",
        "With fewer than 10 threads (n), fastText 0.9.3 gives random values at the start to the n/10 most frequent "
        "words only; the others begin at zero.",
    ),
}
