// Tables of items, held in memory and found by key or by index. Items stay as the JSON that they came as.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>

#include "json.hpp"

// A number for every attribute's name, so that a projection is a look into a row of bits.
class Names {
public:
    size_t operator[](Text name) { return numbers_.try_emplace(std::string(name), numbers_.size()).first->second; }
    size_t count() const { return numbers_.size(); }

private:
    std::unordered_map<std::string, size_t> numbers_;
};

using Projection = std::vector<bool>;  // by number of the name; empty for everything

struct Attribute {
    size_t name;
    std::string member;  // "name":{"S":"text"}
};

struct Item {
    std::vector<Attribute> attributes;
    std::vector<std::string> key;
    size_t size;

    void write(std::string& out, const Projection& projection) const {
        out += '{';
        bool is_first = true;
        for (const auto& [name, member] : attributes) {
            if (!projection.empty() && !(name < projection.size() && projection[name])) continue;
            if (!is_first) out += ',';
            is_first = false;
            out += member;
        }
        out += '}';
    }
};

struct Entry {
    std::string sort;
    const Item* item;

    bool operator<(const Entry& other) const {
        return std::tie(sort, item->key) < std::tie(other.sort, other.item->key);
    }
};

// A table or an index: items by partition, each in the order of its sort key.
struct Shelf {
    std::vector<std::string> key;
    std::unordered_map<std::string, std::vector<Entry>> partitions;

    void put(const Item& item, const std::unordered_map<std::string, std::string>& texts) {
        const auto partition = texts.find(key[0]);
        const auto sort = key.size() > 1 ? texts.find(key[1]) : texts.end();
        if (partition == texts.end() || (key.size() > 1 && sort == texts.end())) return;  // a sparse index
        partitions[partition->second].push_back({key.size() > 1 ? sort->second : "", &item});
    }

    void settle() {
        for (auto& [_, entries] : partitions) std::sort(entries.begin(), entries.end());
    }
};

struct Table {
    Shelf shelf;
    std::map<std::string, Shelf, std::less<>> indexes;
    std::vector<std::unique_ptr<Item>> items;

    const Shelf& named(Text index) const {
        if (index.empty()) return shelf;
        const auto found = indexes.find(index);
        if (found == indexes.end()) throw Refused("no such index");
        return found->second;
    }

    const Item* find(Text key) const {
        std::vector<std::string> wanted(shelf.key.size());
        for (const auto& [name, value] : json::members(key)) {
            const auto place = std::find(shelf.key.begin(), shelf.key.end(), name);
            if (place == shelf.key.end()) throw Refused("no attribute of the key");
            wanted[place - shelf.key.begin()] = json::typed(value);
        }
        const auto partition = shelf.partitions.find(wanted[0]);
        if (partition == shelf.partitions.end()) return nullptr;
        const auto& sort = wanted.size() > 1 ? wanted[1] : std::string();
        const auto entry = std::lower_bound(partition->second.begin(), partition->second.end(), sort,
                                            [](const Entry& one, const std::string& text) { return one.sort < text; });
        return entry != partition->second.end() && entry->sort == sort ? entry->item : nullptr;
    }
};

class Database {
public:
    Names names;

    // A line either describes a table or holds one item of a table described before.
    void take(Text line) {
        Text name, key, indexes, of, item;
        for (const auto& [member, value] : json::members(line)) {
            if (member == "table") name = json::unquoted(value);
            if (member == "key") key = value;
            if (member == "indexes") indexes = value;
            if (member == "of") of = json::unquoted(value);
            if (member == "item") item = value;
        }
        if (of.empty()) {
            describe(tables_[std::string(name)], key, indexes);
        } else {
            put(table(of), item);
        }
    }

    void settle() {
        for (auto& [_, table] : tables_) {
            table.shelf.settle();
            for (auto& [name, index] : table.indexes) index.settle();
        }
    }

    Table& table(Text name) {
        const auto found = tables_.find(name);
        if (found == tables_.end()) throw Refused("no such table");
        return found->second;
    }

private:
    std::map<std::string, Table, std::less<>> tables_;

    static std::vector<std::string> texts(Text array) {
        std::vector<std::string> found;
        for (const Text one : json::elements(array)) found.emplace_back(json::unquoted(one));
        return found;
    }

    static void describe(Table& table, Text key, Text indexes) {
        table.shelf.key = texts(key);
        for (const auto& [name, of_index] : json::members(indexes))
            table.indexes[std::string(name)].key = texts(of_index);
    }

    void put(Table& table, Text json) {
        auto item = std::make_unique<Item>();
        std::unordered_map<std::string, std::string> texts;
        item->size = json.size();
        for (const auto& [name, value] : json::members(json)) {
            item->attributes.push_back({names[name], '"' + std::string(name) + "\":" + std::string(value)});
            if (value.substr(0, 5) == "{\"S\":") texts.emplace(name, json::typed(value));
        }
        for (const auto& name : table.shelf.key) item->key.push_back(texts.at(name));
        table.shelf.put(*item, texts);
        for (auto& [_, index] : table.indexes) index.put(*item, texts);
        table.items.push_back(std::move(item));
    }
};
