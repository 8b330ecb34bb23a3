import Foundation
import Glibc
import Reactor
import Store

/// Gives up the rights of root: the program begins anew as another user.
///
/// Anew, because the thread that began it cannot change its user: the runtime has parked it where no call of glibc
/// reaches it, and it would stay root.
struct ServiceUser {
  let user: SystemAccounts.User
  private let program: Int32

  /// Nil where this process is the user's already.
  init?(_ name: String) throws(SystemAccounts.Failure) {
    user = try SystemAccounts.user(name)
    if geteuid() == user.id { return nil }
    guard geteuid() == 0 else {
      throw SystemAccounts.Failure("only root can run the relay as \(name); start it with sudo")
    }
    // As root, since the user may not be allowed to look into the program's folder.
    program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
    guard program >= 0 else { throw Self.failure("the program", user) }
  }

  /// Goes on as the user, with what only root can have: ports below 1024, and a data folder in a place such as /var/lib.
  ///
  /// - Parameters:
  ///   - addresses: where the relay is going to listen, by the name of their kind.
  ///   - data: the data folder.
  func begin(
    listening addresses: [(name: String, address: SocketAddress)], data: String
  ) throws(SystemAccounts.Failure) -> Never {
    // Out of the way of the numbers that the next program looks at, which `pass` overwrites.
    let above = InheritedSocket.firstDescriptor + Int32(addresses.count)
    let program = try raised(self.program, to: above, "the program")
    var sockets: [(name: String, fd: Int32)] = []
    if !InheritedSocket.isMeant(by: ProcessInfo.processInfo.environment),
      addresses.contains(where: { $0.address.isPrivileged })
    {
      for (name, address) in addresses {
        let low = try Self.opened(address)
        sockets.append((name, try raised(low, to: above, "\(address)")))
      }
    }
    DataDirectory.give(data, to: user.id, user.group)
    try becomeUser()
    pass(sockets)
    var arguments = Self.withoutUser(CommandLine.arguments).map { strdup($0) } + [nil]
    fexecve(program, &arguments, environ)
    throw Self.failure("the program", user)
  }

  /// Returns a copy of a descriptor with the number `least` or a higher one.
  private func raised(
    _ descriptor: Int32, to least: Int32, _ what: String
  ) throws(SystemAccounts.Failure) -> Int32 {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, least)
    guard copy >= 0 else { throw Self.failure(what, user) }
    return copy
  }

  private static func opened(
    _ address: SocketAddress
  ) throws(SystemAccounts.Failure) -> Int32 {
    do {
      return try Socket.listen(on: address, sharing: false)
    } catch {
      throw SystemAccounts.Failure(
        "\(error); stop the other server or listen elsewhere (--listen HOST:PORT)")
    }
  }

  private func becomeUser() throws(SystemAccounts.Failure) {
    guard initgroups(user.name, user.group) == 0 else { throw Self.failure("initgroups", user) }
    guard setgid(user.group) == 0 else { throw Self.failure("setgid", user) }
    guard setuid(user.id) == 0 else { throw Self.failure("setuid", user) }
    setenv("HOME", user.home, 1)
    setenv("USER", user.name, 1)
    setenv("LOGNAME", user.name, 1)
  }

  /// Leaves sockets to the next program as a service manager does.
  private func pass(_ sockets: [(name: String, fd: Int32)]) {
    if sockets.isEmpty { return }
    for (index, socket) in sockets.enumerated() {
      dup2(socket.fd, InheritedSocket.firstDescriptor + Int32(index))
    }
    setenv("LISTEN_PID", "\(getpid())", 1)
    setenv("LISTEN_FDS", "\(sockets.count)", 1)
    setenv("LISTEN_FDNAMES", sockets.map(\.name).joined(separator: ":"), 1)
  }

  /// The command line without `--user NAME`.
  static func withoutUser(_ arguments: [String]) -> [String] {
    var rest: [String] = []
    var isName = false
    for argument in arguments {
      if isName || argument.hasPrefix("--user=") {
        isName = false
      } else if argument == "--user" {
        isName = true
      } else {
        rest.append(argument)
      }
    }
    return rest
  }

  private static func failure(
    _ what: String, _ user: SystemAccounts.User
  ) -> SystemAccounts.Failure {
    SystemAccounts.Failure(
      "\(what): \(String(cString: strerror(errno))); start the relay as \(user.name) instead")
  }
}

extension SocketAddress {
  /// Whether only root may listen there, as the kernel has it unless it is told otherwise.
  fileprivate var isPrivileged: Bool { port.map { (1..<1024).contains($0) } ?? false }
}

extension RelayOptions {
  /// Goes on as the account that `user` names, if root has started the process.
  func becomeUser(_ configuration: Configuration) throws(RelayError) {
    guard let user else { return }
    let server = configuration.server
    do throws(SystemAccounts.Failure) {
      guard let next = try ServiceUser(user) else { return }
      try next.begin(
        listening: (listen ?? server.listen).map { ("", $0) }
          + server.shoutcastListen.map { (Self.shoutcastName, $0) },
        data: DataDirectory.resolve(option: data, configured: server.data))
    } catch {
      throw .cannotStart("--user: \(error)")
    }
  }
}
