import Glibc

/// A listening socket that a service manager has opened for this process (sd_listen_fds(3)).
public struct InheritedSocket: Hashable, Sendable {
  public let fd: Int32
  /// What the manager calls the socket (`FileDescriptorName=`); empty where it says nothing.
  public let name: String
  public let address: SocketAddress

  /// Why a descriptor cannot be listened on, on one line with the remedy.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// Most descriptors that are looked at.
  private static let countMax = 1024
  /// The number of the first one; the others follow.
  public static let firstDescriptor: Int32 = 3

  /// Returns the sockets that the environment tells of: none where they are meant for another process.
  ///
  /// They do not block from here on, and are closed in child programs.
  public static func adopt(
    _ environment: [String: String], process: pid_t = getpid()
  ) throws(Failure) -> [InheritedSocket] {
    var sockets: [InheritedSocket] = []
    for (fd, name) in try descriptors(in: environment, process: process) {
      sockets.append(try InheritedSocket(fd: fd, name: name))
    }
    return sockets
  }

  /// Whether the environment tells of sockets for this process: what it says may be left over from another one's start.
  public static func isMeant(
    by environment: [String: String], process: pid_t = getpid()
  ) -> Bool {
    environment["LISTEN_FDS"] != nil && environment["LISTEN_PID"] == "\(process)"
  }

  /// The descriptors and their names.
  static func descriptors(
    in environment: [String: String], process: pid_t
  ) throws(Failure) -> [(fd: Int32, name: String)] {
    guard isMeant(by: environment, process: process), let count = environment["LISTEN_FDS"] else {
      return []
    }
    guard let count = Int32(count), (0...Int32(countMax)).contains(count) else {
      throw Failure(description: "LISTEN_FDS is \"\(count)\", not a number up to \(countMax)")
    }
    let names = (environment["LISTEN_FDNAMES"] ?? "").split(
      separator: ":", omittingEmptySubsequences: false)
    return (0..<count).map { index in
      let place = Int(index)
      return (firstDescriptor + index, place < names.count ? String(names[place]) : "")
    }
  }

  private init(fd: Int32, name: String) throws(Failure) {
    (self.fd, self.name) = (fd, name)
    let what = "descriptor \(fd)" + (name.isEmpty ? "" : " (\(name))") + " of the service manager"
    var status = stat()
    guard fstat(fd, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
      throw Failure(description: "\(what) is no socket; look at the units that start this one")
    }
    guard Self.option(fd, SO_TYPE) == Int32(SOCK_STREAM.rawValue),
      let address = Socket.localAddress(of: fd), address.family != AF_UNIX
    else {
      throw Failure(
        description: "\(what) is no TCP socket; write ListenStream=PORT or ADDRESS:PORT in its unit"
      )
    }
    guard Self.option(fd, SO_ACCEPTCONN) == 1 else {
      throw Failure(description: "\(what) does not listen; write Accept=no in its unit")
    }
    self.address = address
    _ = fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK)
    _ = fcntl(fd, F_SETFD, FD_CLOEXEC)
  }

  private static func option(_ fd: Int32, _ name: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(fd, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }
}
