// SPDX-License-Identifier: Apache-2.0
// `syncline bench-script DIR --stage NAME`: writes a Python file that runs one recorded function
// alone.
#include <algorithm>
#include <filesystem>

#include "base/run_file.h"
#include "inject/core/glob.h"
#include "inject/core/options.h"
#include "launcher/commands/command.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/show/bench_script.h"
#include "launcher/show/last_run.h"
#include "launcher/show/read_findings.h"
#include "launcher/show/report_files.h"
#include "launcher/start/program.h"
#include "writers/findings/manifest.h"

namespace syncline {
namespace {

struct BenchLine {
  std::string directory;
  std::string stage;
  int signature = 1;
  std::string output;
};

constexpr char kToHaveSome[] =
    "Record the run with `--python-ranges 'MODULE.FUNCTION' --signatures` to have them.";

// False: said why.
bool ReadSignatures(const BenchLine& line, std::string* text) {
  const std::string path = Text(ReportFolder(line.directory), "/", kSignatureFile);
  const int error = ReadRunFile(path, kMostRunText, text);
  if (error == 0) return true;
  SayError(Text("cannot read ", ShellQuote(path), ": ", ErrorText(error), ". ", kToHaveSome));
  return false;
}

std::vector<std::string> NamesOf(const std::vector<SignedFunction>& functions) {
  std::vector<std::string> names;
  for (const SignedFunction& one : functions) names.push_back(one.name);
  return names;
}

// The one that fits, by its name, or by a pattern. Null: none or several do, which was said.
const SignedFunction* Choose(const std::vector<SignedFunction>& functions,
                             const std::string& stage) {
  std::vector<const SignedFunction*> fitting;
  for (const SignedFunction& one : functions) {
    if (one.name == stage) return &one;
    if (MatchesGlob(stage, one.name)) fitting.push_back(&one);
  }
  if (fitting.size() == 1) return fitting[0];
  const std::vector<std::string> names = NamesOf(functions);
  const std::string nearest = NearestName(stage, names);
  SayError(Text(
      fitting.empty() ? "no function with a signature has the name "
                      : "several functions have names that fit ",
      ShellQuote(stage), nearest.empty() ? "" : Text(" (did you mean ", nearest, "?)"),
      functions.empty() ? Text(". ", kToHaveSome) : Text(". There are: ", SomeNames(names), ".")));
  return nullptr;
}

std::vector<std::string> WordsOf(const std::string& command_line) {
  std::vector<std::string> words(1);
  for (const char c : command_line) {
    if (c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

bool IsInterpreter(const std::string& word) {
  return word.substr(word.rfind('/') + 1).starts_with("python");
}

// What Python ran as __main__.
void FindMain(const std::string& command_line, BenchWish* wish) {
  const std::vector<std::string> words = WordsOf(command_line);
  if (!IsInterpreter(words[0])) return;
  for (size_t i = 1; i < words.size(); ++i) {
    const auto rest = words.begin() + static_cast<ptrdiff_t>(i) + 1;
    if (words[i] == "-m" && i + 1 < words.size()) {
      wish->module = words[i + 1];
      wish->arguments.assign(rest + 1, words.end());
      return;
    }
    if (words[i] == "-c") return;
    if (words[i] == "-W" || words[i] == "-X") {
      ++i;
    } else if (!words[i].starts_with("-")) {
      const std::string path = AbsolutePath(words[i]);
      if (std::filesystem::is_regular_file(path)) wish->script = path;
      wish->arguments.assign(rest, words.end());
      return;
    }
  }
}

// Of the first process that is one of Python's.
void FindMainOf(const std::string& directory, BenchWish* wish) {
  for (const std::string& name : ListDirectory(directory + "/run")) {
    RankManifest manifest;
    if (!name.starts_with("rank-") || !name.ends_with(".json") ||
        !ReadManifest(Text(directory, "/run/", name), &manifest).ok())
      continue;
    for (const ManifestProcess& process : manifest.processes) {
      FindMain(process.command_line, wish);
      if (!wish->script.empty() || !wish->module.empty()) return;
    }
  }
}

// "serve.Engine.step" -> "bench_serve.Engine.step.py", without what a shell would ask about.
std::string FileName(const std::string& function) {
  std::string name = "bench_" + function + ".py";
  for (char& c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '.' || c == '_';
    if (!is_plain) c = '_';
  }
  return name;
}

int Write(const BenchLine& line, const std::string& signatures, const SignedFunction& function) {
  BenchWish wish;
  wish.function = function.name;
  wish.signature = static_cast<size_t>(line.signature) - 1;
  wish.path = line.output.empty() ? FileName(function.name) : line.output;
  FindMainOf(line.directory, &wish);
  if (const int error = WriteFile(wish.path, BenchScript(signatures, wish)); error != 0) {
    SayError(Text("cannot write ", ShellQuote(wish.path), ": ", ErrorText(error),
                  ". Name another file with -o."));
    return kExitOurFailure;
  }
  Say(Text("wrote ", ShellQuote(wish.path), ", which runs ", function.name,
           " with the inputs of form ", line.signature, " of ", function.signatures, ": python ",
           ShellQuote(wish.path)));
  return 0;
}

}  // namespace

int RunBenchScript(const Arguments& arguments) {
  BenchLine line;
  CommandLine words("bench-script");
  words.OptionalWord("directory", &line.directory);
  words.Text("--stage NAME", &line.stage,
             "The function, as in the report, or a pattern that fits one alone");
  words.Number("--signature N", &line.signature,
               "Which of its signatures in report/io_signature.json, from 1 [1]");
  words.Text("-o, --output FILE", &line.output, "The file that is written [bench_NAME.py]");
  int exit_code = 0;
  if (!ParseCommandLine(&words, arguments, &exit_code)) return exit_code;
  SetUpMessages(OptionNumber(OptionIndex("quiet")) != 0, OptionText(OptionIndex("log.level")));
  if (!TakeLastRun(&line.directory)) return kExitOurFailure;
  std::string signatures;
  std::vector<SignedFunction> functions;
  if (!ReadSignatures(line, &signatures)) return kExitOurFailure;
  if (const Status status = SignedFunctions(signatures, &functions); !status.ok()) {
    SayError(Text(ShellQuote(Text(ReportFolder(line.directory), "/", kSignatureFile)), ": ",
                  status.message(), ". `syncline report` writes it anew."));
    return kExitOurFailure;
  }
  const SignedFunction* function = Choose(functions, line.stage);
  if (function == nullptr) return kExitOurFailure;
  if (line.signature < 1 || static_cast<size_t>(line.signature) > function->signatures) {
    SayError(Text(function->name, " has no signature ", line.signature, ": it has ",
                  function->signatures, ", counted from 1."));
    return kExitOurFailure;
  }
  return Write(line, signatures, *function);
}

}  // namespace syncline
