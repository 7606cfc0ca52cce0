// A stub of DynamoDB that costs next to nothing: GetItem, BatchGetItem and Query over items in memory, on one thread.
//
//     stub PORT ITEMS.jsonl [MICROSECONDS]
//
// The items are read once; bench/dataset.py writes them. Each answer can be held back for some microseconds. Filters,
// writes, nested projections and signatures are not looked at: what is not known is refused as the service refuses what
// is wrong. GET / tells how many calls were answered.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <memory>
#include <tuple>

#include "tables.hpp"

namespace {

constexpr size_t PAGE_BYTES = 1 << 20;

// ---------------------------------------------------------------- requests

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
std::vector<Text> words(Text expression) {
    constexpr Text space = " ,()", comparison = "=<>";
    std::vector<Text> found;
    for (size_t at = 0; (at = expression.find_first_not_of(space, at)) != Text::npos;) {
        const bool compares = comparison.find(expression[at]) != Text::npos;
        const size_t end = compares ? expression.find_first_not_of(comparison, at) : expression.find_first_of(" ,()=<>", at);
        found.push_back(expression.substr(at, end - at));
        at = std::min(end, expression.size());
    }
    return found;
}

Projection projected(Database& database, const Request& request) {
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

std::string capacity(Text table, size_t bytes) {
    char text[256];
    const int length = snprintf(text, sizeof text, "{\"TableName\":\"%.*s\",\"CapacityUnits\":%.1f}", int(table.size()),
                                table.data(), std::max<size_t>(1, (bytes + 4095) / 4096) * 0.5);
    return {text, size_t(length)};
}

// ---------------------------------------------------------------- answers

std::string got_item(Database& database, const Request& request) {
    const Item* item = database.table(request.table).find(request.key);
    std::string out = "{";
    if (item) {
        out += "\"Item\":";
        item->write(out, projected(database, request));
    }
    if (request.tells_capacity)
        out += (item ? ",\"ConsumedCapacity\":" : "\"ConsumedCapacity\":") + capacity(request.table, item ? item->size : 0);
    return out + "}";
}

std::string got_batch(Database& database, const Request& request) {
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
std::pair<size_t, size_t> range(const Entries& entries, const Shelf& shelf, const Table& table, const Request& request,
                                const std::vector<Text>& condition) {
    const auto place = [&](Text sort, bool is_after) {
        const auto found = is_after
            ? std::upper_bound(entries.begin(), entries.end(), sort, [](Text text, const Entry& one) { return text < one.sort; })
            : std::lower_bound(entries.begin(), entries.end(), sort, [](const Entry& one, Text text) { return one.sort < text; });
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
        if (request.is_forward) first = std::max<size_t>(first, std::upper_bound(entries.begin(), entries.end(), from) - entries.begin());
        else last = std::min<size_t>(last, std::lower_bound(entries.begin(), entries.end(), from) - entries.begin());
    }
    return {first, std::max(first, last)};
}

std::string got_page(Database& database, const Request& request) {
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
            if (shelf.key.size() > 1 && is_new(shelf.key[1])) out += '"' + shelf.key[1] + "\":{\"S\":\"" + stopped->sort + "\"},";
        }
        out.back() = '}';
    }
    if (request.tells_capacity) out += ",\"ConsumedCapacity\":" + capacity(request.table, bytes);
    return out + "}";
}

std::string answer(Database& database, Text operation, Text body) {
    const Request request(body);
    if (operation == "Query") return got_page(database, request);
    if (operation == "GetItem") return got_item(database, request);
    if (operation == "BatchGetItem") return got_batch(database, request);
    throw Refused("unknown operation " + std::string(operation));
}

// ---------------------------------------------------------------- HTTP

// CRC-32 by eight bytes at a time, since every answer carries one.
uint32_t checksum(Text text) {
    static const auto tables = [] {
        std::array<std::array<uint32_t, 256>, 8> made{};
        for (uint32_t i = 0; i < 256; ++i) {
            uint32_t c = i;
            for (int bit = 0; bit < 8; ++bit) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
            made[0][i] = c;
        }
        for (uint32_t i = 0; i < 256; ++i)
            for (size_t n = 1; n < 8; ++n) made[n][i] = made[0][made[n - 1][i] & 255] ^ (made[n - 1][i] >> 8);
        return made;
    }();
    uint32_t c = ~0u;
    const char* at = text.data();
    size_t left = text.size();
    for (; left >= 8; at += 8, left -= 8) {
        uint32_t low, high;
        memcpy(&low, at, 4), memcpy(&high, at + 4, 4);
        low ^= c;
        c = tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^ tables[5][low >> 16 & 255] ^ tables[4][low >> 24] ^
            tables[3][high & 255] ^ tables[2][high >> 8 & 255] ^ tables[1][high >> 16 & 255] ^ tables[0][high >> 24];
    }
    for (; left; ++at, --left) c = tables[0][(c ^ uint8_t(*at)) & 255] ^ (c >> 8);
    return ~c;
}

std::string response(int status, const std::string& body) {
    char head[320];
    const int length = snprintf(head, sizeof head,
                                "HTTP/1.1 %s\r\nServer: Server\r\nDate: Tue, 01 Sep 2026 10:00:00 GMT\r\n"
                                "Content-Type: application/x-amz-json-1.0\r\nContent-Length: %zu\r\nConnection: keep-alive\r\n"
                                "x-amzn-RequestId: 4KBNVRGD25RG1KEO9UT4V3FQDJVV4KQNSO5AEMVJF66Q9ASUAAJG\r\nx-amz-crc32: %u\r\n\r\n",
                                status == 200 ? "200 OK" : "400 Bad Request", body.size(), checksum(body));
    return std::string(head, length) + body;
}

Text header(Text head, Text name) {
    for (size_t at = head.find("\r\n"); at != Text::npos; at = head.find("\r\n", at + 2)) {
        const Text line = head.substr(at + 2, name.size() + 1);
        if (line.size() <= name.size() || line.back() != ':' || strncasecmp(line.data(), name.data(), name.size())) continue;
        const size_t value = head.find_first_not_of(' ', at + 3 + name.size());
        return head.substr(value, head.find("\r\n", value) - value);
    }
    return {};
}

using Clock = std::chrono::steady_clock;

class Server {
public:
    Server(Database& database, int port, long delay) : database_(database), delay_(delay) {
        listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        const int on = 1;
        setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) || listen(listener_, 1024)) {
            perror("stub");
            exit(1);
        }
        epoll_ = epoll_create1(0);
        watch(EPOLL_CTL_ADD, listener_, EPOLLIN);
    }

    [[noreturn]] void run() {
        std::array<epoll_event, 256> events;
        for (;;) {
            const int count = wait(events);
            for (int i = 0; i < count; ++i) {
                const int fd = events[i].data.fd;
                if (fd == listener_) accept_all();
                else if (!(events[i].events & ~EPOLLOUT ? receive(fd) : true) || !flush(fd)) drop(fd);
            }
            for (; !held_.empty() && held_.front().due <= Clock::now(); held_.pop_front()) {
                const auto found = connections_.find(held_.front().fd);
                if (found == connections_.end() || found->second.serial != held_.front().serial) continue;
                found->second.out += held_.front().text;
                if (!flush(held_.front().fd)) drop(held_.front().fd);
            }
        }
    }

private:
    struct Connection {
        uint64_t serial;
        std::string in, out;
        bool is_blocked = false;
    };
    struct Held {
        Clock::time_point due;
        int fd;
        uint64_t serial;
        std::string text;
    };

    Database& database_;
    std::chrono::microseconds delay_;
    int listener_, epoll_;
    uint64_t serial_ = 0, calls_ = 0;
    std::unordered_map<int, Connection> connections_;
    std::deque<Held> held_;  // all are held for as long, so the first is due first

    void watch(int how, int fd, uint32_t events) {
        epoll_event event{};
        event.events = events;
        event.data.fd = fd;
        epoll_ctl(epoll_, how, fd, &event);
    }

    int wait(std::array<epoll_event, 256>& events) {
        if (held_.empty()) return epoll_wait(epoll_, events.data(), events.size(), -1);
        const auto left = std::max(held_.front().due - Clock::now(), Clock::duration::zero());
        const timespec time{0, std::chrono::nanoseconds(left).count()};
        return epoll_pwait2(epoll_, events.data(), events.size(), &time, nullptr);
    }

    void accept_all() {
        for (int fd; (fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK)) >= 0;) {
            const int on = 1;
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            connections_[fd].serial = ++serial_;
            watch(EPOLL_CTL_ADD, fd, EPOLLIN);
        }
    }

    void drop(int fd) {
        connections_.erase(fd);
        close(fd);
    }

    bool receive(int fd) {
        static char buffer[1 << 18];
        Connection& connection = connections_[fd];
        const ssize_t length = recv(fd, buffer, sizeof buffer, 0);
        if (length <= 0) return length < 0 && errno == EAGAIN;
        connection.in.append(buffer, length);
        while (take_request(fd, connection)) {
        }
        return true;
    }

    bool take_request(int fd, Connection& connection) {
        const size_t head_end = connection.in.find("\r\n\r\n");
        if (head_end == std::string::npos) return false;
        const Text head = Text(connection.in).substr(0, head_end);
        const Text length = header(head, "content-length");
        const size_t size = head_end + 4 + (length.empty() ? 0 : std::stoul(std::string(length)));
        if (connection.in.size() < size) return false;
        const Text body = Text(connection.in).substr(head_end + 4, size - head_end - 4);
        if (head.substr(0, 4) == "GET ") {
            connection.out += response(200, "{\"calls\":" + std::to_string(calls_) + "}");
        } else {
            const Text target = header(head, "x-amz-target");
            ++calls_;
            give(fd, connection, answered(target.substr(target.rfind('.') + 1), body));
        }
        connection.in.erase(0, size);
        return true;
    }

    std::string answered(Text operation, Text body) {
        try {
            return response(200, answer(database_, operation, body));
        } catch (const std::exception& fault) {
            fprintf(stderr, "stub: %s: %.*s\n", fault.what(), int(body.size()), body.data());
            return response(400, "{\"__type\":\"com.amazon.coral.validate#ValidationException\",\"message\":\"" +
                                     std::string(fault.what()) + "\"}");
        }
    }

    void give(int fd, Connection& connection, std::string text) {
        if (delay_.count() == 0) connection.out += text;
        else held_.push_back({Clock::now() + delay_, fd, connection.serial, std::move(text)});
    }

    bool flush(int fd) {
        Connection& connection = connections_[fd];
        size_t sent = 0;
        while (sent < connection.out.size()) {
            const ssize_t length = send(fd, connection.out.data() + sent, connection.out.size() - sent, MSG_NOSIGNAL);
            if (length < 0 && errno == EAGAIN) break;
            if (length < 0) return false;
            sent += length;
        }
        connection.out.erase(0, sent);
        if (connection.is_blocked != !connection.out.empty()) {
            connection.is_blocked = !connection.is_blocked;
            watch(EPOLL_CTL_MOD, fd, connection.is_blocked ? EPOLLIN | EPOLLOUT : EPOLLIN);
        }
        return true;
    }
};

}  // namespace

int main(int count, char** arguments) {
    if (count < 3) {
        fprintf(stderr, "stub PORT ITEMS.jsonl [MICROSECONDS]\n");
        return 2;
    }
    Database database;
    std::ifstream lines(arguments[2]);
    for (std::string line; std::getline(lines, line);) database.take(line);
    database.settle();
    Server(database, atoi(arguments[1]), count > 3 ? atol(arguments[3]) : 0).run();
}
