// What DynamoDB answers to a request, as far as it is asked here.
#pragma once

#include <cstdint>
#include <cstdio>

#include "tables.hpp"

inline constexpr size_t PAGE_BYTES = 1 << 20;

struct Request {
    Text table, index, condition, projection, names, values, start, limit, select, key, items;
    bool is_forward = true, tells_capacity = false;

    explicit Request(Text body) {
        for (const auto& [name, value] : json::members(body)) {
            if (name == "TableName") table = json::unquoted(value);
            else if (name == "IndexName") index = json::unquoted(value);
            else if (name == "KeyConditionExpression") condition = json::unquoted(value);
            else if (name == "ProjectionExpression") projection = json::unquoted(value);
            else if (name == "ExpressionAttributeNames") names = value;
            else if (name == "ExpressionAttributeValues") values = value;
            else if (name == "ExclusiveStartKey") start = value;
            else if (name == "Limit") limit = value;
            else if (name == "Select") select = json::unquoted(value);
            else if (name == "ScanIndexForward") is_forward = value != "false";
            else if (name == "Key") key = value;
            else if (name == "Keys") items = value;
            else if (name == "RequestItems") items = value;
            else if (name == "ReturnConsumedCapacity") tells_capacity = json::unquoted(value) != "NONE";
            else if (name != "ConsistentRead") throw Refused("unknown parameter " + std::string(name));
        }
    }

    Text name(Text placeholder) const {
        if (placeholder.substr(0, 1) != "#") return placeholder;
        for (const auto& [one, value] : json::members(names))
            if (one == placeholder) return json::unquoted(value);
        throw Refused("a name without a value");
    }

    Text value(Text placeholder) const {
        for (const auto& [one, value] : json::members(values))
            if (one == placeholder) return json::typed(value);
        throw Refused("a placeholder without a value");
    }
};

// The names, placeholders, keywords and comparisons of an expression.
inline std::vector<Text> words(Text expression) {
    constexpr Text space = " ,()", comparison = "=<>";
    std::vector<Text> found;
    for (size_t at = 0; (at = expression.find_first_not_of(space, at)) != Text::npos;) {
        const bool compares = comparison.find(expression[at]) != Text::npos;
        const size_t end =
            compares ? expression.find_first_not_of(comparison, at) : expression.find_first_of(" ,()=<>", at);
        found.push_back(expression.substr(at, end - at));
        at = std::min(end, expression.size());
    }
    return found;
}

inline Projection projected(Database& database, const Request& request) {
    Projection wanted;
    if (request.projection.empty()) return wanted;
    std::unordered_map<Text, Text> names;
    for (const auto& [one, value] : json::members(request.names)) names.emplace(one, json::unquoted(value));
    for (const Text word : words(request.projection)) {
        const auto found = names.find(word);
        const size_t number = database.names[found == names.end() ? word : found->second];
        if (wanted.size() <= number) wanted.resize(number + 1);
        wanted[number] = true;
    }
    return wanted;
}

inline std::string capacity(Text table, size_t bytes) {
    char text[256];
    const int length = snprintf(text, sizeof text, "{\"TableName\":\"%.*s\",\"CapacityUnits\":%.1f}", int(table.size()),
                                table.data(), std::max<size_t>(1, (bytes + 4095) / 4096) * 0.5);
    return {text, size_t(length)};
}

inline std::string got_item(Database& database, const Request& request) {
    const Item* item = database.table(request.table).find(request.key);
    std::string out = "{";
    if (item) {
        out += "\"Item\":";
        item->write(out, projected(database, request));
    }
    if (request.tells_capacity)
        out += (item ? ",\"ConsumedCapacity\":" : "\"ConsumedCapacity\":") +
               capacity(request.table, item ? item->size : 0);
    return out + "}";
}

inline std::string got_batch(Database& database, const Request& request) {
    std::string out = "{\"Responses\":{", units;
    for (const auto& [name, asked] : json::members(request.items)) {
        const Request of_table(asked);
        const Projection projection = projected(database, of_table);
        const auto keys = json::elements(of_table.items);
        if (keys.size() > 100) throw Refused("too many keys");
        if (out.back() == '}' || out.back() == ']') out += ',';
        out += '"' + std::string(name) + "\":[";
        size_t bytes = 0;
        for (const Text key : keys) {
            const Item* item = database.table(name).find(key);
            if (!item) continue;
            if (out.back() == '}') out += ',';
            item->write(out, projection);
            bytes += item->size;
        }
        out += ']';
        units += (units.empty() ? "" : ",") + capacity(name, bytes);
    }
    out += "},\"UnprocessedKeys\":{}";
    if (request.tells_capacity) out += ",\"ConsumedCapacity\":[" + units + "]";
    return out + "}";
}

using Entries = std::vector<Entry>;

// The part of a partition that the condition and the start key leave.
inline std::pair<size_t, size_t> range(const Entries& entries, const Shelf& shelf, const Table& table,
                                       const Request& request, const std::vector<Text>& condition) {
    const auto place = [&](Text sort, bool is_after) {
        const auto found = is_after ? std::upper_bound(entries.begin(), entries.end(), sort,
                                                       [](Text text, const Entry& one) { return text < one.sort; })
                                    : std::lower_bound(entries.begin(), entries.end(), sort,
                                                       [](const Entry& one, Text text) { return one.sort < text; });
        return size_t(found - entries.begin());
    };
    size_t first = 0, last = entries.size();
    if (condition.size() > 3) {
        const bool is_prefix = condition.size() == 7 && condition[4] == "begins_with";
        if (!is_prefix && (condition.size() < 7 || request.name(condition[4]) != shelf.key.at(1)))
            throw Refused("a condition that is not on the sort key");
        const Text low = request.value(condition[6]);
        if (is_prefix) {
            first = place(low, false), last = place(std::string(low) + '\xff', true);
        } else if (condition[5] == "=") {
            first = place(low, false), last = place(low, true);
        } else if (condition[5] == ">=") {
            first = place(low, false);
        } else if (condition[5] == "<=") {
            last = place(low, true);
        } else if (condition[5] == "BETWEEN" && condition.size() == 9) {
            first = place(low, false), last = place(request.value(condition[8]), true);
        } else {
            throw Refused("a condition of another kind");
        }
    }
    if (!request.start.empty()) {
        std::unordered_map<Text, Text> start;
        for (const auto& [name, value] : json::members(request.start)) start.emplace(name, json::typed(value));
        Item key{{}, {}, 0};
        for (const auto& name : table.shelf.key) key.key.emplace_back(start.at(name));
        const Entry from{shelf.key.size() > 1 ? std::string(start.at(shelf.key[1])) : "", &key};
        if (request.is_forward)
            first = std::max<size_t>(first, std::upper_bound(entries.begin(), entries.end(), from) - entries.begin());
        else last = std::min<size_t>(last, std::lower_bound(entries.begin(), entries.end(), from) - entries.begin());
    }
    return {first, std::max(first, last)};
}

inline std::string got_page(Database& database, const Request& request) {
    const Table& table = database.table(request.table);
    const Shelf& shelf = table.named(request.index);
    const auto condition = words(request.condition);
    if (condition.size() < 3 || request.name(condition[0]) != shelf.key[0] || condition[1] != "=")
        throw Refused("a condition that is not on the partition key first");
    static const Entries none;
    const auto partition = shelf.partitions.find(std::string(request.value(condition[2])));
    const Entries& entries = partition == shelf.partitions.end() ? none : partition->second;
    const auto [first, last] = range(entries, shelf, table, request, condition);
    const size_t limit = request.limit.empty() ? SIZE_MAX : std::stoul(std::string(request.limit));
    const Projection projection = projected(database, request);
    const bool counts = request.select == "COUNT";

    std::string out = counts ? "{" : "{\"Items\":[";
    size_t count = 0, bytes = 0;
    const Entry* stopped = nullptr;
    for (; count < last - first; ++count) {
        const Entry& entry = entries[request.is_forward ? first + count : last - 1 - count];
        if (count == limit || (count && bytes + entry.item->size > PAGE_BYTES)) break;
        stopped = &entry;
        bytes += entry.item->size;
        if (counts) continue;
        if (count) out += ',';
        entry.item->write(out, projection);
    }
    const std::string number = std::to_string(count);
    out += (counts ? "\"Count\":" : "],\"Count\":") + number + ",\"ScannedCount\":" + number;
    // Like the service, a page that its limit ended has a key to go on from even if nothing follows.
    if (stopped && (count < last - first || count == limit)) {
        out += ",\"LastEvaluatedKey\":{";
        for (size_t i = 0; i < table.shelf.key.size(); ++i)
            out += '"' + table.shelf.key[i] + "\":{\"S\":\"" + stopped->item->key[i] + "\"},";
        if (&shelf != &table.shelf) {
            const auto is_new = [&](const std::string& name) {
                return std::find(table.shelf.key.begin(), table.shelf.key.end(), name) == table.shelf.key.end();
            };
            if (is_new(shelf.key[0])) out += '"' + shelf.key[0] + "\":{\"S\":\"" + partition->first + "\"},";
            if (shelf.key.size() > 1 && is_new(shelf.key[1]))
                out += '"' + shelf.key[1] + "\":{\"S\":\"" + stopped->sort + "\"},";
        }
        out.back() = '}';
    }
    if (request.tells_capacity) out += ",\"ConsumedCapacity\":" + capacity(request.table, bytes);
    return out + "}";
}

inline std::string answer(Database& database, Text operation, Text body) {
    const Request request(body);
    if (operation == "Query") return got_page(database, request);
    if (operation == "GetItem") return got_item(database, request);
    if (operation == "BatchGetItem") return got_batch(database, request);
    throw Refused("unknown operation " + std::string(operation));
}
