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

#include "answers.hpp"

namespace {

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
    const int length =
        snprintf(head, sizeof head,
                 "HTTP/1.1 %s\r\nServer: Server\r\nDate: Tue, 01 Sep 2026 10:00:00 GMT\r\n"
                 "Content-Type: application/x-amz-json-1.0\r\nContent-Length: %zu\r\nConnection: keep-alive\r\n"
                 "x-amzn-RequestId: 4KBNVRGD25RG1KEO9UT4V3FQDJVV4KQNSO5AEMVJF66Q9ASUAAJG\r\nx-amz-crc32: %u\r\n\r\n",
                 status == 200 ? "200 OK" : "400 Bad Request", body.size(), checksum(body));
    return std::string(head, length) + body;
}

Text header(Text head, Text name) {
    for (size_t at = head.find("\r\n"); at != Text::npos; at = head.find("\r\n", at + 2)) {
        const Text line = head.substr(at + 2, name.size() + 1);
        if (line.size() <= name.size() || line.back() != ':' || strncasecmp(line.data(), name.data(), name.size()))
            continue;
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
