"""Classes of characters, as the tokeniser knows them.

INNER and MARK go on a word but do not begin one; INNER does not end one either.
"""

WORD, BLANK, LINE_END, INNER, MARK = range(5)
