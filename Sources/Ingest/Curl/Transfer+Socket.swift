import CCurl
import Glibc
import Reactor
import Timeshift

extension Transfer {
  /// Makes a socket for libcurl; -1 forbids the address. The corresponding C function is `socket`.
  func open(_ address: UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t {
    guard let address, let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else {
      return -1
    }
    // The last member is longer than declared: libcurl leaves room behind it for any family.
    let name = (UnsafeRawPointer(address) + offset).assumingMemoryBound(to: sockaddr.self)
    let length = Int(address.pointee.addrlen)
    guard route.admits(SocketAddress(name, length: length)) else {
      return -1
    }
    let file = SpareDescriptors.refuse(
      socket(
        address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
        address.pointee.protocol))
    shortage = file < 0 ? Shortage.reason(errno) : nil
    multi.hasSocket(self)
    if let onStep = request.onStep, file >= 0, let peer = SocketAddress(name, length: length) {
      onStep(.resolved(address: peer.host))
    }
    return file
  }
}
