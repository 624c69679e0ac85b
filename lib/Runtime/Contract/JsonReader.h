// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- JsonReader.h - Checked access to a JSON document -------------------===//
//
// A cursor that knows its path, so that every error says where it is
// ("kernels[0].args[1].element"). Only the first error is kept. After an error all accessors return
// harmless values.

#ifndef TESSERA_LIB_RUNTIME_CONTRACT_JSONREADER_H
#define TESSERA_LIB_RUNTIME_CONTRACT_JSONREADER_H

#ifndef JSON_NOEXCEPTION
#define JSON_NOEXCEPTION
#endif
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::rt {

using Json = nlohmann::json;

class JsonReader {
public:
  JsonReader(const Json &json, std::string &error) : json(&json), error(&error) {}

  bool failed() const { return !error->empty(); }
  /// Records the error unless there is one already; returns false.
  bool fail(const std::string &message) const {
    if (error->empty())
      *error = "malformed contract: " + (path.empty() ? "top level" : path) + ": " + message;
    return false;
  }

  bool has(std::string_view key) const {
    return json->is_object() && json->find(key) != json->end();
  }
  bool isNull() const { return json->is_null(); }
  bool isString() const { return json->is_string(); }
  bool isInteger() const { return json->is_number_integer(); }
  const Json &get() const { return *json; }

  /// Returns the member; a missing one is an error.
  JsonReader member(std::string_view key) const {
    if (!json->is_object()) {
      fail("expected an object");
      return null(key);
    }
    auto found = json->find(key);
    if (found == json->end()) {
      fail("'" + std::string(key) + "' is missing");
      return null(key);
    }
    return child(*found, path.empty() ? std::string(key) : path + "." + std::string(key));
  }

  /// Returns the number of elements. It is an error if this is no array, or has more than `limit`
  /// elements.
  size_t arraySize(size_t limit) const {
    if (!json->is_array()) {
      fail("expected a list");
      return 0;
    }
    if (json->size() > limit) {
      fail("has " + std::to_string(json->size()) + " entries, the limit is " +
           std::to_string(limit));
      return 0;
    }
    return json->size();
  }
  JsonReader at(size_t index) const {
    return child((*json)[index], path + "[" + std::to_string(index) + "]");
  }

  int64_t integer(int64_t low, int64_t high) const {
    bool large = json->is_number_unsigned() && json->get<uint64_t>() > uint64_t{INT64_MAX};
    if (!json->is_number_integer() || large) {
      fail("expected an integer");
      return low;
    }
    auto value = json->get<int64_t>();
    if (value < low || value > high) {
      fail(std::to_string(value) + " is not in " + std::to_string(low) + ".." +
           std::to_string(high));
      return low;
    }
    return value;
  }

  std::string string() const {
    if (!json->is_string()) {
      fail("expected a string");
      return {};
    }
    return json->get_ref<const std::string &>();
  }

  int64_t integerOr(std::string_view key, int64_t otherwise, int64_t low, int64_t high) const {
    return has(key) ? member(key).integer(low, high) : otherwise;
  }
  bool boolOr(std::string_view key, bool otherwise) const {
    if (!has(key))
      return otherwise;
    JsonReader value = member(key);
    if (!value.json->is_boolean())
      return value.fail("expected true or false");
    return value.json->get<bool>();
  }
  std::string stringOr(std::string_view key, std::string_view otherwise) const {
    return has(key) ? member(key).string() : std::string(otherwise);
  }

private:
  JsonReader child(const Json &value, std::string where) const {
    JsonReader reader(value, *error);
    reader.path = std::move(where);
    return reader;
  }
  JsonReader null(std::string_view key) const {
    static const Json nothing;
    return child(nothing, path + "." + std::string(key));
  }

  const Json *json;
  std::string *error;
  std::string path;
};

} // namespace tessera::rt

#endif // TESSERA_LIB_RUNTIME_CONTRACT_JSONREADER_H
