"""`--like`: the rules of other tools."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import w2v
from w2v.cli.main import cli
from w2v.config import TrainConfig
from w2v.errors import ConfigError
from w2v.presets import PRESETS, options_like, told


@pytest.mark.parametrize("tool", PRESETS)
@pytest.mark.parametrize("loss", ["sgns", "nce", "hs", "infonce"])
def test_every_preset_goes_with_every_objective(tool: str, loss: str) -> None:
    config = TrainConfig.from_dict(options_like(tool, {"loss": loss}))
    assert config.lr == PRESETS[tool].options["lr"]
    assert config.max_sentence == {"gensim": 10_000, "word2vec": 1000, "fasttext": 1024}[tool]
    assert config.noise_power == (None if loss == "hs" else 0.75 if loss != "sgns" or tool != "fasttext" else 0.5)
    assert config.saturate == (6 if (tool, loss) == ("gensim", "sgns") else None)


def test_what_is_given_wins() -> None:
    given: dict[str, Any] = {"lr": 0.5, "direction": "centre-from-context"}
    config = TrainConfig.from_dict(options_like("fasttext", given))
    assert (config.lr, config.direction, config.sample) == (0.5, "centre-from-context", 1e-4)
    assert options_like(None, given) == given


def test_an_unknown_tool_is_named() -> None:
    with pytest.raises(ConfigError, match="--like glove: not one of gensim, word2vec, fasttext"):
        w2v.train("x.txt", like="glove")


def test_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("corpus.txt").write_text("a b c d e f g\n" * 50)
    arguments = ["train", "corpus.txt", "--threads", "1", "--dim", "8", "--overwrite"]
    result = CliRunner().invoke(cli, [*arguments, "--like", "gensim", "--epochs", "2"])
    assert result.exit_code == 0, result.stderr
    assert "like gensim: --window 5 --negative 5 --epochs 2 --min-count 5 --share-noise 1 --lr 0.025" in result.stderr
    assert "--saturate 6.0" in result.stderr
    assert "still unlike gensim: it draws noise words for each pair" in result.stderr
    options = json.loads(Path("vectors.bin.json").read_text())["config"]
    assert (options["saturate"], options["epochs"], options["share_noise"]) == (6, 2, 1)
    # The same from Python, to the byte.
    rest = {"threads": 1, "dim": 8, "epochs": 2}
    w2v.train("corpus.txt", like="gensim", **rest).save("python.bin")
    assert Path("python.bin").read_bytes() == Path("vectors.bin").read_bytes()


def test_what_is_told_is_what_applies() -> None:
    lines = told("gensim", TrainConfig.from_dict(options_like("gensim", {"loss": "hs"})).to_dict())
    assert "--saturate" not in lines[0]
    assert "--noise-power" not in lines[0]
    assert "do not go with --loss hs" in lines[0]
