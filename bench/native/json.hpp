// Enough of JSON for what botocore, the AWS SDK and the bench write: texts are compared as they are spelled.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using Text = std::string_view;

// What the service would refuse, and what this stub does not know.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

namespace json {

inline size_t past_text(Text text, size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    return at + 1;
}

inline size_t past_value(Text text, size_t at) {
    size_t depth = 0;
    do {
        if (at >= text.size()) throw Refused("JSON that ends too early");
        const char c = text[at];
        if (c == '"') {
            at = past_text(text, at);
        } else if (c == '{' || c == '[') {
            ++depth, ++at;
        } else if (c == '}' || c == ']') {
            --depth, ++at;
        } else if (depth == 0) {
            at = std::min(text.find_first_of(",]} \n", at), text.size());
        } else {
            ++at;
        }
    } while (depth > 0);
    return at;
}

inline size_t past_space(Text text, size_t at, Text also = "") {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || also.find(text[at]) != Text::npos)) ++at;
    return at;
}

inline Text unquoted(Text value) {
    if (value.size() < 2 || value.front() != '"') throw Refused("a text is needed");
    return value.substr(1, value.size() - 2);
}

// The members of an object, in their order: names without quotes, values as they are.
inline std::vector<std::pair<Text, Text>> members(Text object) {
    std::vector<std::pair<Text, Text>> found;
    for (size_t at = past_space(object, 1, ","); at < object.size() && object[at] != '}';
         at = past_space(object, at, ",")) {
        const size_t name_end = past_text(object, at);
        const size_t value = past_space(object, name_end, ":");
        const size_t value_end = past_value(object, value);
        found.emplace_back(object.substr(at + 1, name_end - at - 2), object.substr(value, value_end - value));
        at = value_end;
    }
    return found;
}

inline std::vector<Text> elements(Text array) {
    std::vector<Text> found;
    for (size_t at = past_space(array, 1, ","); at < array.size() && array[at] != ']';
         at = past_space(array, at, ",")) {
        const size_t end = past_value(array, at);
        found.push_back(array.substr(at, end - at));
        at = end;
    }
    return found;
}

// The text in {"S": "text"}, which is what every key is.
inline Text typed(Text value) {
    const auto inner = members(value);
    if (inner.size() != 1 || inner[0].first != "S") throw Refused("keys are texts here");
    return unquoted(inner[0].second);
}

}  // namespace json
