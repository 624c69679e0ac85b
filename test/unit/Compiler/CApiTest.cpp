// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera-c/Compiler.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

static const char *kProgram = R"(
tile.kernel @twice(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step (128) {
    %a = tile.load %x[%i] : memref<?xf32> -> tensor<128xf32>
    %b = arith.addf %a, %a : tensor<128xf32>
    tile.store %b, %y[%i] : tensor<128xf32> -> memref<?xf32>
  }
  tile.return
}
)";

namespace {
class CApi : public ::testing::Test {
protected:
  void SetUp() override {
    options = tessera_options_create();
    ASSERT_EQ(tessera_options_set(options, "emit", "ptx"), 0);
  }
  void TearDown() override {
    tessera_result_destroy(result);
    tessera_options_destroy(options);
  }
  void compile(const char *text = kProgram) {
    tessera_result_destroy(result);
    result = tessera_compile(text, std::strlen(text), options);
  }

  tessera_options *options = nullptr;
  tessera_result *result = nullptr;
};
} // namespace

TEST_F(CApi, ValuesAreRefusedWhenTheyAreSet) {
  const std::pair<const char *, const char *> bad[] = {
      {"variants", "foo"},    {"variants", ""},        {"threads", "99999999999"},
      {"threads", "1025"},    {"threads", "-1"},       {"threads", "2x"},
      {"threads", ""},        {"require", "speed"},    {"stop-after", "later"},
      {"timeout", "-1"},      {"timeout", "soon"},     {"timeout", "inf"},
      {"timeout", "nan"},     {"tile-bytes", "1e6"},   {"thread-registers", "-5"},
      {"opt-level", "4"},     {"target", "sm_80"},     {"emit", "wasm"},
      {"fp-contract", "yes"}, {"no-such-option", "1"},
  };
  for (auto [name, value] : bad) {
    EXPECT_EQ(tessera_options_set(options, name, value), 1) << name << "=" << value;
    EXPECT_NE(std::string(tessera_options_error(options)).find(name), std::string::npos);
  }
  tessera_options_set(options, "threads", "1025");
  EXPECT_STREQ(tessera_options_error(options),
               "the option 'threads' cannot be '1025'; tessera-c/Compiler.h lists the options and "
               "their values");
  tessera_options_set(options, "no-such-option", "1");
  EXPECT_STREQ(tessera_options_error(options),
               "there is no option 'no-such-option'; tessera-c/Compiler.h lists the options and "
               "their values");
  const std::pair<const char *, const char *> good[] = {
      {"variants", "any"},   {"threads", "1024"},       {"require", "no_spills"},
      {"stop-after", ""},    {"timeout", "1000.5"},     {"timeout", "0"},
      {"tile-bytes", "0"},   {"thread-registers", "4"}, {"sizes", "N=64"},
      {"sizes", "N=1..128"},
  };
  for (auto [name, value] : good) {
    EXPECT_EQ(tessera_options_set(options, name, value), 0) << name << "=" << value;
    EXPECT_STREQ(tessera_options_error(options), "");
  }
  // What was refused has changed nothing.
  compile();
  EXPECT_EQ(tessera_result_status(result), TESSERA_OK) << tessera_result_diagnostics(result);
}

TEST_F(CApi, ProgressAndCancellation) {
  std::vector<std::string> phases;
  auto collect = [](void *user, const tessera_progress *progress) {
    EXPECT_EQ(progress->struct_size, sizeof(tessera_progress));
    static_cast<std::vector<std::string> *>(user)->push_back(progress->phase);
    return 0;
  };
  tessera_options_set_progress(options, collect, &phases);
  compile();
  EXPECT_EQ(tessera_result_status(result), TESSERA_OK);
  ASSERT_FALSE(phases.empty());
  EXPECT_EQ(phases.front(), "start");
  EXPECT_EQ(phases.back(), "ptx-check");

  tessera_options_set_progress(
      options,
      [](void *, const tessera_progress *progress) {
        return std::strcmp(progress->phase, "raw") ? 0 : 1;
      },
      nullptr);
  compile();
  EXPECT_EQ(tessera_result_status(result), TESSERA_CANCELLED);
  EXPECT_FALSE(tessera_result_ok(result));
  EXPECT_EQ(tessera_result_error_count(result), 1u);
  EXPECT_EQ(tessera_result_artifact_size(result), 0u);
  tessera_options_set_progress(options, nullptr, nullptr);

  tessera_cancellation *cancellation = tessera_cancellation_create();
  tessera_options_set_cancellation(options, cancellation);
  compile();
  EXPECT_EQ(tessera_result_status(result), TESSERA_OK);
  tessera_cancellation_cancel(cancellation);
  compile();
  EXPECT_EQ(tessera_result_status(result), TESSERA_CANCELLED);
  tessera_options_set_cancellation(options, nullptr);
  tessera_cancellation_destroy(cancellation);
  compile();
  EXPECT_EQ(tessera_result_status(result), TESSERA_OK);

  ASSERT_EQ(tessera_options_set(options, "timeout", "0.000001"), 0);
  compile();
  EXPECT_EQ(tessera_result_status(result), TESSERA_TIMED_OUT);
}

TEST_F(CApi, DiagnosticsAndTimingsAreData) {
  // A remark, because no kernel calls the function.
  const std::string text = std::string(kProgram) + "func.func @other() {\n  return\n}\n";
  compile(text.c_str());
  ASSERT_TRUE(tessera_result_ok(result));
  ASSERT_EQ(tessera_result_diagnostic_count(result), 1u);
  tessera_diagnostic diagnostic = {};
  EXPECT_EQ(tessera_result_diagnostic(result, 0, &diagnostic), 1) << "no struct_size";
  diagnostic.struct_size = sizeof diagnostic;
  EXPECT_EQ(tessera_result_diagnostic(result, 1, &diagnostic), 1);
  ASSERT_EQ(tessera_result_diagnostic(result, 0, &diagnostic), 0);
  EXPECT_EQ(diagnostic.severity, TESSERA_SEVERITY_REMARK);
  EXPECT_STREQ(diagnostic.file, "<source>");
  EXPECT_EQ(diagnostic.line, 11u);
  EXPECT_NE(std::string(diagnostic.message).find("'func.func' @other"), std::string::npos);
  EXPECT_EQ(tessera_result_error_count(result), 0u);

  double seconds = -1;
  ASSERT_GT(tessera_result_timing_count(result), 3u);
  EXPECT_STREQ(tessera_result_timing(result, 0, &seconds), "start");
  EXPECT_GE(seconds, 0);
  EXPECT_STREQ(tessera_result_timing(result, 1000, &seconds), "");

  const std::string twice = std::string(kProgram) + "module {" + kProgram + "}";
  compile(twice.c_str());
  ASSERT_EQ(tessera_result_diagnostic_count(result), 1u);
  ASSERT_EQ(tessera_result_diagnostic(result, 0, &diagnostic), 0);
  EXPECT_EQ(diagnostic.severity, TESSERA_SEVERITY_ERROR);
  EXPECT_EQ(diagnostic.line, 12u);
  ASSERT_EQ(diagnostic.note_count, 1u);
  ASSERT_EQ(tessera_result_note(result, 0, 0, &diagnostic), 0);
  EXPECT_EQ(diagnostic.severity, TESSERA_SEVERITY_NOTE);
  EXPECT_EQ(diagnostic.line, 2u);
  EXPECT_EQ(tessera_result_note(result, 0, 1, &diagnostic), 1);
}

TEST(CApiNull, NothingCrashes) {
  EXPECT_EQ(tessera_result_status(nullptr), TESSERA_ERROR);
  EXPECT_EQ(tessera_result_diagnostic_count(nullptr), 0u);
  EXPECT_EQ(tessera_result_diagnostic(nullptr, 0, nullptr), 1);
  EXPECT_EQ(tessera_result_timing_count(nullptr), 0u);
  EXPECT_STREQ(tessera_result_timing(nullptr, 0, nullptr), "");
  EXPECT_STREQ(tessera_options_error(nullptr), "");
  tessera_options_set_progress(nullptr, nullptr, nullptr);
  tessera_options_set_cancellation(nullptr, nullptr);
  tessera_cancellation_cancel(nullptr);
  tessera_cancellation_destroy(nullptr);
}
