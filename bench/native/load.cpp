// Sends a fixed number of requests over some connections, each connection waiting for its answer before it asks again.
//
//     load PORT REQUESTS CONNECTIONS COUNT
//
// REQUESTS holds whole HTTP requests, each after a line with its length; they are sent in turn, again and again. What
// was asked is always answered before this ends, so the work of a server divides by COUNT. Prints one JSON object; of the
// first requests that fail it prints each with the beginning of its answer to standard error.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr int PATIENCE_MS = 60'000;
constexpr size_t TOLD = 3;

[[noreturn]] void fail(const char* why) {
    fprintf(stderr, "load: %s\n", why);
    exit(1);
}

std::vector<std::string> read_requests(const char* path) {
    std::ifstream file(path);
    std::vector<std::string> requests;
    for (std::string line; std::getline(file, line);) {
        requests.emplace_back(std::stoul(line), '\0');
        file.read(requests.back().data(), requests.back().size());
    }
    if (requests.empty()) fail("nothing to send");
    return requests;
}

struct Connection {
    int fd;
    std::string in;
    size_t body = 0, size = 0;  // where the body begins and the answer ends, once its head has come
    bool is_chunked = false;
    Clock::time_point asked;
    size_t request = 0;

    bool is_whole() {
        if (!body && !read_head()) return false;
        return is_chunked ? in.size() >= body + 5 && in.compare(in.size() - 5, 5, "0\r\n\r\n") == 0 : in.size() >= size;
    }

    void clear() {
        in.clear();
        body = size = 0;
        is_chunked = false;
    }

private:
    bool read_head() {
        const size_t end = in.find("\r\n\r\n");
        if (end == std::string::npos) return false;
        body = end + 4;
        for (size_t at = in.find("\r\n"); at < end; at = in.find("\r\n", at + 2)) {
            const char* line = in.data() + at + 2;
            if (!strncasecmp(line, "content-length:", 15)) size = body + strtoul(line + 15, nullptr, 10);
            if (!strncasecmp(line, "transfer-encoding: chunked", 26)) is_chunked = true;
        }
        return true;
    }
};

int connected(int port) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address)) fail("cannot connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

void ask(Connection& connection, const std::vector<std::string>& requests, size_t number) {
    const std::string& request = requests[connection.request = number % requests.size()];
    connection.asked = Clock::now();
    for (size_t sent = 0; sent < request.size();) {
        const ssize_t length = send(connection.fd, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
        if (length < 0) fail("cannot send");
        sent += length;
    }
}

// One line for a request that failed: its number in the file, and how its answer begins.
void tell(const Connection& connection) {
    std::string answer = connection.in.substr(0, connection.in.find("\r\n")) + " " + connection.in.substr(connection.body, 300);
    for (char& character : answer)
        if (static_cast<unsigned char>(character) < ' ') character = ' ';
    fprintf(stderr, "request %zu: %s\n", connection.request + 1, answer.c_str());
}

double milliseconds(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

}  // namespace

int main(int count, char** arguments) {
    if (count != 5) fail("PORT REQUESTS CONNECTIONS COUNT");
    const auto requests = read_requests(arguments[2]);
    const size_t wanted = strtoul(arguments[4], nullptr, 10);
    std::vector<Connection> connections(std::min<size_t>(strtoul(arguments[3], nullptr, 10), wanted));
    const int epoll = epoll_create1(0);
    for (auto& connection : connections) {
        connection.fd = connected(atoi(arguments[1]));
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.ptr = &connection;
        epoll_ctl(epoll, EPOLL_CTL_ADD, connection.fd, &event);
    }

    std::vector<double> waits;
    size_t sent = 0, failures = 0, bytes = 0;
    const auto begun = Clock::now();
    for (auto& connection : connections) ask(connection, requests, sent++);
    std::array<epoll_event, 64> events;
    static char buffer[1 << 18];
    while (waits.size() < wanted) {
        const int ready = epoll_wait(epoll, events.data(), events.size(), PATIENCE_MS);
        if (ready == 0) fail("no answer for a minute");
        for (int i = 0; i < ready; ++i) {
            Connection& connection = *static_cast<Connection*>(events[i].data.ptr);
            const ssize_t length = recv(connection.fd, buffer, sizeof buffer, 0);
            if (length <= 0) fail("the server closed a connection");
            connection.in.append(buffer, length);
            if (!connection.is_whole()) continue;
            waits.push_back(milliseconds(Clock::now() - connection.asked));
            bytes += connection.in.size();
            const bool is_good =
                connection.in.compare(9, 3, "200") == 0 &&
                std::string_view(connection.in).substr(connection.body).find("\"errors\"") == std::string::npos;
            if (!is_good && ++failures <= TOLD) tell(connection);
            connection.clear();
            if (sent < wanted) ask(connection, requests, sent++);
        }
    }
    const double seconds = milliseconds(Clock::now() - begun) / 1000;
    std::sort(waits.begin(), waits.end());
    const auto share = [&](double part) { return waits[std::min(waits.size() - 1, size_t(part * waits.size()))]; };
    printf("{\"seconds\":%.4f,\"p50\":%.3f,\"p99\":%.3f,\"failures\":%zu,\"bytes\":%zu}\n", seconds, share(.5),
           share(.99), failures, bytes / waits.size());
}
