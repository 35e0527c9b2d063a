// SPDX-License-Identifier: Apache-2.0
// Goes through the constants of code, as the compiler put the code of functions and classes there.
#include "collectors/python/code_names.h"

#include <cstring>
#include <string_view>

#include "collectors/python/function_versions.h"
#include "collectors/python/namesakes.h"
#include "collectors/python/remembered_code.h"
#include "inject/core/python_layout.h"
#include "inject/core/thread_log.h"

namespace syncline::python {
namespace {

constexpr long kOwnLocals = 0x0001;  // CO_OPTIMIZED: of a function, not of a class or a module
constexpr int kMostNested = 100;     // as deep as Python's compiler goes
constexpr int kMostClasses = 4;      // in classes; one may hold itself
constexpr int kMostWrapped = 16;     // around each other; one may hold itself, too
constexpr size_t kMostName = 1024;

constexpr unsigned long kIsType = 1ul << 31;  // Py_TPFLAGS_TYPE_SUBCLASS

// A part of the function around it, as from 3.12 on: no range of its own.
bool IsInlined(std::string_view name) {
  return name == "<listcomp>" || name == "<setcomp>" || name == "<dictcomp>";
}

bool IsOfType(const Object* object, const Object* type) { return TypeOf(object) == type; }

class Judge {
 public:
  // `code_type`: the type of code. The module's name lives as long.
  Judge(std::string_view module, const Object* code_type)
      : module_(module), code_type_(code_type) {}

  // Functions among the constants of `code`, whose name ends at `name_end`. `locals`: they are
  // local to it. False: there is no code among them.
  bool Nested(Object* code, size_t name_end, bool locals, int depth) {
    if (depth > kMostNested) return false;
    const size_t begin = name_end == 0 ? 0 : Append(name_end, locals ? ".<locals>." : ".");
    const Owned constants(AttributeOf(code, "co_consts"));
    const ptrdiff_t count = constants ? g_api->PyTuple_Size(constants.get()) : 0;
    bool any = false;
    for (ptrdiff_t i = 0; i < count; ++i) {
      Object* constant = g_api->PyTuple_GetItem(constants.get(), i);  // borrowed
      if (!IsOfType(constant, code_type_)) continue;
      One(constant, begin, depth);
      any = true;
    }
    return any;
  }

  // A function that is there, with what is inside of it.
  void Function(Object* code, std::string_view qualname) {
    const size_t end = Append(0, qualname);
    Choose(code, end);
    Nested(code, end, true, 0);
  }

 private:
  void One(Object* code, size_t begin, int depth) {
    const Owned name(AttributeOf(code, "co_name"));
    const Owned qualname(AttributeOf(code, "co_qualname"));  // from 3.11 on
    const std::string_view own = TextOf(name.get());
    const size_t end = qualname ? Append(0, TextOf(qualname.get())) : Append(begin, own);
    long flags;
    const bool is_function = NumberOf(code, "co_flags", &flags) && (flags & kOwnLocals) != 0;
    if (is_function && !IsInlined(own)) Choose(code, end);
    // compiler_set_qualname of compile.c: "<locals>" is told of functions, not of comprehensions.
    Nested(code, end, is_function && !IsInlined(own) && own != "<genexpr>", depth + 1);
  }

  void Choose(Object* code, size_t name_end) {
    if (g_watched.Find(code) != nullptr) return;
    const Chosen* function = FindChosen(module_, {name_, name_end});
    if (function == nullptr) return;
    NoteOriginal(code, module_, function);
    if (!Remember(code, function)) CountLoss(kLoss_definition);
  }

  // Where the text ends now. What does not fit is cut.
  size_t Append(size_t begin, std::string_view text) {
    const size_t bytes = text.size() < kMostName - begin ? text.size() : kMostName - begin;
    std::memcpy(name_ + begin, text.data(), bytes);
    return begin + bytes;
  }

  std::string_view module_;
  const Object* code_type_;
  char name_[kMostName];  // of the code at hand, within the module
};

// A wrapper bears the name of what it wraps, but its code has its own.
void JudgeFunction(Object* function, int depth) {
  const Owned code(AttributeOf(function, "__code__"));
  const Owned globals(AttributeOf(function, "__globals__"));
  const Owned wrapped(AttributeOf(function, "__wrapped__"));
  if (!code || depth > kMostWrapped) return;
  Owned name(AttributeOf(code.get(), "co_qualname"));  // from 3.11 on
  if (!name) {
    name.Take(wrapped ? AttributeOf(code.get(), "co_name") : AttributeOf(function, "__qualname__"));
  }
  Judge(ModuleOf(globals.get()), TypeOf(code.get())).Function(code.get(), TextOf(name.get()));
  if (g_layout.python == kWithVersions && g_watched.Find(code.get()) != nullptr)
    GiveLargeVersion(function, code.get());
  if (wrapped && IsOfType(wrapped.get(), g_api->function_type))
    JudgeFunction(wrapped.get(), depth + 1);
}

// What a method is behind the object that makes it one. Null: it is no such object.
Object* FunctionBehind(Object* object) {
  const Object* type = TypeOf(object);
  if (type == g_api->static_method_type || type == g_api->class_method_type)
    return AttributeOf(object, "__func__");
  return type == g_api->property_type ? AttributeOf(object, "fget") : nullptr;
}

bool IsType(Object* object) { return (g_api->PyType_GetFlags(TypeOf(object)) & kIsType) != 0; }

Object* DictOfType(Object* type) { return ReadAt<Object*>(type, kDictOffset); }

// Many modules hold classes of others, which are judged where they were made.
bool IsMadeIn(std::string_view module, Object* dict_of_type) {
  return dict_of_type != nullptr &&
         TextOf(g_api->PyDict_GetItemString(dict_of_type, "__module__")) == module;
}

// Nothing is asked of the objects but of functions and methods: others may answer by code of their
// own.
void JudgeAll(std::string_view module, Object* dict, int depth) {
  if (dict == nullptr || depth > kMostClasses) return;
  ptrdiff_t at = 0;
  Object* key;
  Object* value;
  while (g_api->PyDict_Next(dict, &at, &key, &value) != 0) {
    const Owned kept(NewReference(value));  // what is made here may start Python's collector
    const Owned behind(FunctionBehind(value));
    Object* object = behind ? behind.get() : value;
    if (IsOfType(object, g_api->function_type)) {
      JudgeFunction(object, 0);
    } else if (IsType(object) && IsMadeIn(module, DictOfType(object))) {
      JudgeAll(module, DictOfType(object), depth + 1);
    }
  }
}

}  // namespace

std::string_view ModuleOf(Object* globals) {
  return TextOf(globals == nullptr ? nullptr : g_api->PyDict_GetItemString(globals, "__name__"));
}

bool JudgeModule(Object* code, Object* globals) {
  return Judge(ModuleOf(globals), TypeOf(code)).Nested(code, 0, false, 0);
}

void JudgeImported() {
  Object* modules = g_api->PySys_GetObject("modules");  // borrowed
  ptrdiff_t at = 0;
  Object* key;
  Object* module;
  while (modules != nullptr && g_api->PyDict_Next(modules, &at, &key, &module) != 0) {
    const Owned kept(NewReference(module));
    if (!IsOfType(module, g_api->module_type)) continue;
    Object* dict = g_api->PyModule_GetDict(module);
    JudgeAll(ModuleOf(dict), dict, 0);
  }
}

}  // namespace syncline::python
