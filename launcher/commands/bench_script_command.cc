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
  if (stage.empty()) {
    SayError(Text("say which function: --stage NAME. ",
                  functions.empty() ? kToHaveSome : Text("There are: ", SomeNames(names), ".")));
    return nullptr;
  }
  SayError(Text(
      fitting.empty() ? "no function with a signature has the name "
                      : "several functions have names that fit ",
      ShellQuote(stage), nearest.empty() ? "" : Text(" (did you mean ", nearest, "?)"),
      functions.empty() ? Text(". ", kToHaveSome) : Text(". There are: ", SomeNames(names), ".")));
  return nullptr;
}

bool IsInterpreter(const std::string& word) {
  return word.substr(word.rfind('/') + 1).starts_with("python");
}

// An option of Python's that takes a value, "-m", "-Wignore", "-um": its letter, and what stands
// behind it in the same word. 0: it is none.
char OptionWithValue(const std::string& word, std::string* value) {
  if (word.starts_with("--")) return 0;
  const size_t at = word.find_first_of("cmWX", 1);
  if (at == std::string::npos) return 0;
  *value = word.substr(at + 1);
  return word[at];
}

// What Python ran as __main__.
void FindMain(const ManifestProcess& process, BenchWish* wish) {
  const std::vector<std::string>& words = process.arguments;
  if (words.empty() || !IsInterpreter(words[0])) return;
  wish->arguments_cut = process.arguments_cut;
  size_t at = 1;
  for (; at < words.size() && words[at].starts_with("-") && words[at] != "-"; ++at) {
    std::string value;
    const char option = OptionWithValue(words[at], &value);
    if (option == 'c') return;
    if (option != 0 && value.empty() && ++at < words.size()) value = words[at];
    if (option != 'm') continue;
    wish->module = value;
    break;
  }
  if (at >= words.size()) return;
  if (wish->module.empty()) {
    const std::string path = AbsolutePath(words[at]);
    if (std::filesystem::is_regular_file(path)) wish->script = path;
  }
  wish->arguments.assign(words.begin() + static_cast<ptrdiff_t>(at) + 1, words.end());
}

// Of the first process that is one of Python's.
void FindMainOf(const std::string& directory, BenchWish* wish) {
  for (const std::string& name : ListDirectory(directory + "/run")) {
    RankManifest manifest;
    if (!name.starts_with("rank-") || !name.ends_with(".json") ||
        !ReadManifest(Text(directory, "/run/", name), &manifest).ok())
      continue;
    for (const ManifestProcess& process : manifest.processes) {
      FindMain(process, wish);
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

// A script is the user's to change: what is there and says something else is not replaced. "": the
// path is free, or has just that.
std::string PathProblem(const std::string& path, const std::string& script) {
  std::string there;
  std::string problem = OutputProblem(path);
  if (!problem.empty() || !Exists(path)) return problem;
  if (ReadFile(path, &there) == 0 && there == script) return "";
  return Text(ShellQuote(path), " is there already, maybe with changes of yours: remove it, or ",
              "name another file with -o.");
}

int Write(const BenchLine& line, const std::string& signatures, const SignedFunction& function) {
  BenchWish wish;
  wish.function = function.name;
  wish.signature = static_cast<size_t>(line.signature) - 1;
  wish.path = line.output.empty() ? FileName(function.name) : line.output;
  FindMainOf(line.directory, &wish);
  const std::string script = BenchScript(signatures, wish);
  if (const std::string problem = PathProblem(wish.path, script); !problem.empty()) {
    SayError(problem);
    return kExitOurFailure;
  }
  if (const int error = WriteFile(wish.path, script); error != 0) {
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
