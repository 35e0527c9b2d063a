# SPDX-License-Identifier: Apache-2.0
"""Prints what Holistic Trace Analysis finds of the inputs of operators in a trace, as JSON: for each operator in order its name and
shapes. hta_inputs.py TRACE.json.gz"""

import json
import sys

from hta.common.trace_parser import parse_trace_dataframe
from hta.configs.parser_config import ParserConfig


def main():
    config = ParserConfig(ParserConfig.get_minimum_args())
    config.add_args(ParserConfig.ARGS_INPUT_SHAPE)
    _, frame, symbols = parse_trace_dataframe(sys.argv[1], config)[:3]
    names = symbols.get_sym_table()
    frame = frame.sort_values("ts", kind="stable")
    shown = frame[(frame["input_dims"] != -1) & (frame["input_dims"] != "-1")]
    rows = zip(shown["name"], shown["input_dims"], shown["input_type"], shown["input_strides"])
    text = lambda value: names[value] if isinstance(value, int) else value  # noqa: E731
    print(json.dumps([[str(text(value)) for value in row] for row in rows]))


if __name__ == "__main__":
    main()
