import Threads
import Timeshift

/// Connections that wait for the same thing, in turn by address. An address has one turn in a round, and so has a /48
/// of IPv6, however many connections it has or begins. Its own connections take its turns one after the other.
///
/// Belongs to one loop. No step takes longer the more connections wait, except now and then for those that left.
struct AddressTurns {
  /// The connections of an address, by their tokens.
  private struct Line {
    var tokens = FIFO<UInt64>()
    /// Tokens of these that wait no more.
    var gone: Set<UInt64> = []

    var isEmpty: Bool { tokens.count == gone.count }

    mutating func next() -> UInt64? {
      while let token = tokens.popFirst() {
        if gone.remove(token) == nil { return token }
      }
      return nil
    }
  }

  private var lines: [AddressBlock?: Line] = [:]
  /// Every address that has a line, once.
  private var row = FIFO<AddressBlock?>()

  /// Entries in lines and in the row: never much more than there are waiting connections.
  var held: Int { row.count + lines.values.reduce(0) { $0 + $1.tokens.count } }

  private static func key(_ customer: AddressBlock?) -> AddressBlock? { customer?.siteOrSelf }

  /// Puts a connection in line.
  ///
  /// - Parameter customer: nil for the administration's own socket, which waits as one address does.
  mutating func wait(_ token: UInt64, for customer: AddressBlock?) {
    let key = Self.key(customer)
    if lines[key] == nil { row.append(key) }
    // A connection that left and comes again before its old place was reached has that place.
    if lines[key]?.gone.remove(token) != nil { return }
    lines[key, default: Line()].tokens.append(token)
  }

  /// Takes a connection out of its line, which must be waiting there.
  mutating func leave(_ token: UInt64, of customer: AddressBlock?) {
    let key = Self.key(customer)
    guard lines[key] != nil else { return }
    lines[key]?.gone.insert(token)
    guard let line = lines[key], line.gone.count * 2 > line.tokens.count else { return }
    let gone = line.gone
    lines[key]?.tokens.removeAll { gone.contains($0) }
    lines[key]?.gone = []
  }

  /// Returns the connection whose turn it is; nil when none waits.
  mutating func next() -> UInt64? {
    while let key = row.popFirst() {
      guard var line = lines.removeValue(forKey: key) else { continue }
      let token = line.next()
      if !line.isEmpty {
        lines[key] = line
        row.append(key)
      }
      if let token { return token }
    }
    return nil
  }
}
