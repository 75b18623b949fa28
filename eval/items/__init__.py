"""Item vectors: sessions, histories and baskets, held out and predicted."""
