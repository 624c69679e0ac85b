// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The problems of test/Schedule, each with the schedule that is expected.

#include "Solved.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tessera::schedule;

TEST(ScheduleExamples, All) {
  std::vector<std::string> paths;
  for (const auto &entry : std::filesystem::directory_iterator(TESSERA_SCHEDULE_EXAMPLES))
    if (entry.path().extension() == ".txt")
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  ASSERT_GE(paths.size(), 5u);
  for (const std::string &path : paths) {
    SCOPED_TRACE(path);
    std::stringstream content;
    content << std::ifstream(path).rdbuf();
    const std::string text = content.str(), mark = "\n---\n";
    const size_t at = text.find(mark);
    ASSERT_NE(at, std::string::npos);
    const std::string expected = text.substr(at + mark.size());

    Problem problem = parsed(text.substr(0, at));
    ASSERT_EQ(problem.check(), std::nullopt);
    EXPECT_EQ(parsed(print(problem)), problem);
    Schedule schedule = solved(problem);
    EXPECT_EQ(print(problem, schedule), expected);
    std::string error;
    EXPECT_EQ(parseSchedule(problem, expected, error), schedule) << error;
  }
}
