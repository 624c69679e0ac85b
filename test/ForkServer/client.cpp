// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stands where lit tests call Python: `python-fork-client SCRIPT ARGUMENTS` or `... -c TEXT
// ARGUMENTS` is run by server.py, and ends as the script ends. It calls Python itself
// (TESSERA_TEST_PYTHON) if there is no server (TESSERA_FORK_SERVER is its socket), if there are
// options that the server does not know, or variables that change how Python starts.
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int callPython(char **argv) {
  const char *python = std::getenv("TESSERA_TEST_PYTHON");
  if (!python) {
    std::fprintf(stderr, "%s: TESSERA_TEST_PYTHON must be the path of Python\n", argv[0]);
    return 127;
  }
  argv[0] = const_cast<char *>(python);
  execvp(python, argv);
  std::fprintf(stderr, "%s: %s\n", python, std::strerror(errno));
  return 127;
}

/// Only a script that is a file, or a text, with open standard streams and a directory that exists,
/// and no variables that change how Python starts.
static bool canBeServed(int argc, char **argv) {
  if (argc < 2)
    return false;
  if (std::string_view(argv[1]) == "-c") {
    if (argc < 3)
      return false;
  } else {
    struct stat script = {};
    if (argv[1][0] == '-' || stat(argv[1], &script) != 0 || !S_ISREG(script.st_mode) ||
        access(argv[1], R_OK) != 0)
      return false;
  }
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0)
      return false;
  if (char *directory = getcwd(nullptr, 0))
    std::free(directory);
  else
    return false;
  for (char **variable = environ; *variable; ++variable)
    for (std::string_view start : {"PYTHON", "LD_", "TZ="})
      if (std::string_view(*variable).substr(0, start.size()) == start)
        return false;
  return true;
}

/// The connection, or -1.
static int connectTo(const char *path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (!path || std::strlen(path) >= sizeof(address.sun_path))
    return -1;
  std::strcpy(address.sun_path, path);
  int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0)
    return -1;
  if (connect(connection, reinterpret_cast<sockaddr *>(&address), sizeof(address)) == 0)
    return connection;
  close(connection);
  return -1;
}

/// Sends the text, and the standard streams with its first byte.
static bool send(int connection, std::string_view text) {
  const int streams[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(streams))] = {};
  for (bool isFirst = true; !text.empty(); isFirst = false) {
    iovec part{const_cast<char *>(text.data()), text.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (isFirst) {
      message.msg_control = control;
      message.msg_controllen = sizeof(control);
      cmsghdr *header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof(streams));
      std::memcpy(CMSG_DATA(header), streams, sizeof(streams));
    }
    const ssize_t sent = sendmsg(connection, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR)
      return false;
    text.remove_prefix(sent < 0 ? 0 : static_cast<size_t>(sent));
  }
  return true;
}

/// All that the server needs, behind the number of its bytes.
static std::string describe(char **argv) {
  std::string fields;
  auto add = [&](std::string_view field) { fields.append(field).push_back('\0'); };
  char *directory = getcwd(nullptr, 0);
  add(directory); // canBeServed
  std::free(directory);
  size_t variables = 0;
  while (environ[variables])
    ++variables;
  add(std::to_string(variables));
  for (size_t i = 0; i < variables; ++i)
    add(environ[i]);
  for (char **argument = argv + 1; *argument; ++argument)
    add(*argument);
  const uint64_t size = fields.size();
  return std::string(reinterpret_cast<const char *>(&size), sizeof(size)) + fields;
}

int main(int argc, char **argv) {
  const int connection =
      canBeServed(argc, argv) ? connectTo(std::getenv("TESSERA_FORK_SERVER")) : -1;
  if (connection < 0)
    return callPython(argv);
  int32_t status = 0;
  ssize_t got = -1;
  if (send(connection, describe(argv)))
    do
      got = recv(connection, &status, sizeof(status), MSG_WAITALL);
    while (got < 0 && errno == EINTR);
  if (got != sizeof(status)) {
    std::fprintf(stderr, "%s: the server of test/ForkServer is gone\n", argv[0]);
    return 127;
  }
  if (!WIFSIGNALED(status))
    return WEXITSTATUS(status);
  std::signal(WTERMSIG(status), SIG_DFL);
  std::raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}
