// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Explain.h"

#include <algorithm>
#include <cstdio>

namespace tile_run {

using namespace tessera::rt;
using OrderedJson = nlohmann::ordered_json;

namespace {
std::string printTime(double microseconds) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.3f us", microseconds);
  return text;
}

double predicted(const Ranked &ranked) {
  return static_cast<double>(ranked.nanoseconds.value_or(0)) * 1e-3;
}
} // namespace

void Explanation::print(bool json) const {
  if (json)
    return;
  std::printf("%s kernel '%s':\n", kernel.isFamily() ? "members of" : "variant of",
              kernel.name.c_str());
  size_t width = 0;
  for (const Member &member : kernel.members)
    width = std::max(width, member.name.size());
  for (const Ranked &ranked : ranking) {
    const std::string &name = kernel.members[ranked.member].name;
    std::string line = ranked.isChosen ? "  * " : "    ";
    if (kernel.isFamily())
      line += name + std::string(width - name.size() + 2, ' ');
    if (!ranked.variant)
      line += "cannot: " + ranked.reason;
    else
      line += (ranked.nanoseconds ? printTime(predicted(ranked)) : "no prediction") +
              ", variant '" + kernel.variants[*ranked.variant].name + "'";
    std::printf("%s\n", line.c_str());
  }
}

std::string Explanation::measured(double time) {
  microseconds = time;
  for (const Ranked &ranked : ranking) {
    if (!ranked.isChosen)
      continue;
    std::string line =
        "measured: variant '" + kernel.variants[*ranked.variant].name + "' " + printTime(time);
    if (!ranked.nanoseconds)
      return line;
    line += ", predicted " + printTime(predicted(ranked));
    if (!*ranked.nanoseconds)
      return line;
    char ratio[40];
    std::snprintf(ratio, sizeof(ratio), " (measured / predicted %.3f)", time / predicted(ranked));
    return line + ratio;
  }
  return "measured: " + printTime(time);
}

OrderedJson Explanation::describe() const {
  OrderedJson list = OrderedJson::array();
  for (const Ranked &ranked : ranking) {
    OrderedJson entry = {{"member", kernel.members[ranked.member].name},
                         {"fits", ranked.variant.has_value()},
                         {"chosen", ranked.isChosen}};
    if (ranked.variant)
      entry["variant"] = kernel.variants[*ranked.variant].name;
    else
      entry["reason"] = ranked.reason;
    if (ranked.nanoseconds)
      entry["predicted_us"] = predicted(ranked);
    if (ranked.isChosen && microseconds)
      entry["measured_us"] = *microseconds;
    list.push_back(std::move(entry));
  }
  return list;
}

} // namespace tile_run
