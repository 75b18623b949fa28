"""`w2v convert`: vectors from one format to another."""

from pathlib import Path

import click

from w2v.cli.matrices import vectors_of
from w2v.cli.output import warn
from w2v.errors import OutputError
from w2v.formats import FORMATS, check_output, format_for_output, output_files
from w2v.vectors import Vectors


@click.command()
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--format", "format_name", type=click.Choice([row.name for row in FORMATS]),
              help="Format of OUT; without it, the one its ending names.")  # fmt: skip
@click.option("--overwrite", is_flag=True, help="Replace OUT when it exists.")
@click.option("--output-vectors", is_flag=True,
              help="Write the output vectors of a native model in place of its input vectors.")  # fmt: skip
def command(*, source: Path, target: Path, format_name: str | None, overwrite: bool, output_vectors: bool) -> None:
    """Convert the vectors in IN, whose format its content tells, to OUT, whose format its ending names.

    \b
      w2v convert vectors.bin vectors.txt              word2vec text
      w2v convert glove.6B.100d.txt vectors.bin        GloVe's text, to word2vec binary
      w2v convert model.safetensors out.bin --output-vectors
      w2v convert vectors.bin vectors.tsv              tables for projector.tensorflow.org

    \b
      Ending              Format
      .safetensors        native model: both matrices, counts, options; exact
      .bin                word2vec binary                                 + OUT.json
      .txt  .vec          word2vec text, with a header line               + OUT.json
      .glove              text without a header line                      + OUT.json
      .npy                NumPy array (only written), words in NAME.words.txt
      .tsv                TensorFlow projector (only written), words in NAME.metadata.tsv

    OUT.json keeps what the format cannot: the options of the training and its total count.  Words that would
    not read back (with white space inside, empty) and numbers that are not finite are errors; then nothing is
    written.
    """
    row = format_for_output(target, format_name)
    if source.exists():
        for file in output_files(target, row):
            if file.exists() and file.samefile(source):
                raise OutputError(f"{target}: would replace the input {source}; give another name")
    check_output(target, overwrite, row)
    vectors = Vectors.load(source)
    for warning in vectors.warnings:
        warn(warning)
    if output_vectors:
        vectors = vectors_of(vectors, "output", source)
    vectors.save(target, format=row.name, overwrite=overwrite)
    size = sum(file.stat().st_size for file in row.files(target))
    click.echo(f"{target}: {len(vectors)} words, {vectors.dim} dimensions, {row.name}, {size} bytes", err=True)
