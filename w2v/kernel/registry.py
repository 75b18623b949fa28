"""The objectives by name: where each one's class is.  To add one, write its file in `losses` and add a line here.

Plain text, so that options and help can list the names without loading the compiler.
"""

LOSSES = {
    "sgns": "w2v.kernel.losses.sgns:SkipGramNegativeSampling",
}
