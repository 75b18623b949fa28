"""`w2v train`: corpus in, vectors out."""

import dataclasses
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click

from w2v.cli.options import TrainCommand, config_options
from w2v.cli.output import note

OUTPUT = "vectors.bin"


@click.command(cls=TrainCommand)
@click.argument("corpus", nargs=-1, required=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), default=OUTPUT, show_default=True,
              help="File to write; its ending decides the format.")  # fmt: skip
@click.option("--format", "format_name", metavar="NAME",
              help="Format, when the ending does not say: bin, text, glove, safetensors, npy, tsv.")  # fmt: skip
@click.option("--overwrite", is_flag=True, help="Replace existing files.")
@click.option("--save-output-vectors", type=click.Path(path_type=Path), metavar="FILE",
              help="Also write the output vectors (those of the words as predicted).")  # fmt: skip
@click.option("--vocab", type=click.Path(path_type=Path), metavar="FILE",
              help="Take words and counts from this file (word TAB count) in place of the corpus's.")  # fmt: skip
@click.option("--save-vocab", type=click.Path(path_type=Path), metavar="FILE",
              help="Also write the words and counts.")  # fmt: skip
@click.option("--tmp-dir", type=click.Path(), metavar="FOLDER",
              help="Folder for the temporary file of token ids, 4 bytes a token (default: the system's).")  # fmt: skip
@click.option("--quiet", is_flag=True, help="Show warnings and errors only.")
@click.option("--log-json", type=click.Path(path_type=Path), metavar="FILE",
              help="Write every event as a line of JSON.")  # fmt: skip
@config_options
def command(
    *,
    corpus: tuple[str, ...],
    output: Path,
    format_name: str | None,
    overwrite: bool,
    save_output_vectors: Path | None,
    vocab: Path | None,
    save_vocab: Path | None,
    tmp_dir: str | None,
    quiet: bool,
    log_json: Path | None,
    **options: Any,
) -> None:
    """Train word vectors on CORPUS and write them to vectors.bin.

    CORPUS is one or more files, globs in quotes, folders (all files below, sorted, hidden ones left out), URLs,
    data:NAME for a corpus of `w2v data list` (an existing file of that very name wins), or - for standard input.
    gz, bz2, xz and zst are recognised by content.  A line is a sentence (or a basket, or a session); no window
    crosses its end.

    \b
      w2v train corpus.txt
      w2v train books/ --tokenize words --lowercase -o books.bin
      w2v train data:text8 -o text8.bin
      zcat log.gz | w2v train - --window line --min-count 1 -o items.bin
      w2v train corpus.txt --loss sampled-softmax --negative 10 --unique

    Rules: words are separated by Unicode white space and NUL.  Every token of the vocabulary is presented exactly once
    an epoch, then kept with probability sqrt(t/f) + t/f, where f is its share and t is --sample.  Windows are laid
    over the words that were kept.  Noise equal to the word predicted is kept or left out as the objective asks for
    (--accidental-hits).  The loss shown is the mean per positive pair (a word of the context and the word it
    predicts; with cbow a mean of the context and that word), comparable over epochs and numbers of threads, not over
    objectives.
    """
    begun = time.perf_counter()
    # Numba and NumPy are loaded here, not for --help.
    from w2v.config import TrainConfig
    from w2v.data.catalog import resolve
    from w2v.files import check_files
    from w2v.model import require_output_words
    from w2v.training import load_vocabulary, train_model
    from w2v.usage import peak_memory_mib

    config = TrainConfig(**options)
    if save_output_vectors:
        require_output_words(config)
    corpus = tuple(resolve(name, None if quiet else note) for name in corpus)
    outputs = _outputs((output, format_name), save_output_vectors, save_vocab, log_json)
    # Now, not after hours.
    check_files(outputs, _inputs(corpus, vocab), overwrite)
    vocabulary = load_vocabulary(vocab, config) if vocab else None
    with _listeners(quiet, log_json) as listener:
        model = train_model(corpus, config, vocabulary=vocabulary, tmp_dir=tmp_dir, listener=listener)
        saving = time.perf_counter()
        model.save(output, format=format_name, overwrite=overwrite)
        if save_output_vectors:
            model.output.save(save_output_vectors, overwrite=overwrite)
        if save_vocab:
            model.vocabulary.save(save_vocab, overwrite)
        ended = time.perf_counter()
        seconds = model.summary.seconds | {"saving": ended - saving, "total": ended - begun}
        listener(
            dataclasses.replace(model.summary, seconds=seconds, peak_memory_mib=peak_memory_mib(), output=str(output))
        )


def _outputs(vectors: tuple[Path, str | None], output_vectors: Path | None, *others: Path | None) -> list[Path]:
    """All files a run may write, those beside the vectors included."""
    from w2v.formats import format_for_output, output_files

    files = list(output_files(vectors[0], format_for_output(*vectors)))
    if output_vectors is not None:
        files += output_files(output_vectors, format_for_output(output_vectors))
    return files + [path for path in others if path is not None]


def _inputs(corpus: tuple[str, ...], vocab: Path | None) -> set[Path]:
    """All local files a run reads."""
    from w2v.corpus import Corpus

    return Corpus(corpus).files | ({vocab.resolve()} if vocab else set())


@contextmanager
def _listeners(quiet: bool, log_json: Path | None) -> Iterator[Any]:
    from w2v.cli.progress import Display, JsonLog
    from w2v.events import Event

    with ExitStack() as stack:
        display = Display(quiet)
        stack.callback(display.close)
        listeners: list[Any] = [display]
        if log_json is not None:
            log = JsonLog(log_json)
            stack.callback(log.close)
            listeners.append(log)

        def tell_all(event: Event) -> None:
            for listener in listeners:
                listener(event)

        yield tell_all
