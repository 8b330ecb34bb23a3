import Testing
import Timeshift

@testable import Server

@Suite struct ListenerListingTests {
  private static func snapshot(_ id: UInt64) -> ListenerSnapshot {
    ListenerSnapshot(
      id: id, station: "jazz", address: "192.0.2.1", protocolName: "http/1.1",
      connectedAt: .epoch, seconds: 1, bytes: 0, state: .live)
  }

  /// A part of the list of these listeners, as loops with every third of them tell it.
  private func page(
    _ listing: ListenerListing, of values: [(id: UInt64, value: Double?)]
  ) -> ListenerPage {
    var all = ListenerShare()
    for loop in 0..<3 {
      var picks = ListenerPicks(listing)
      for (index, listener) in values.enumerated() where index % 3 == loop {
        picks.offer(
          ListenerRank(id: listener.id, value: listener.value, in: listing.order),
          at: UInt32(listener.id))
      }
      let first = picks.first()
      #expect(first.count <= listing.limit ?? .max)
      all.add(
        ListenerShare(
          total: picks.total, rest: picks.rest,
          listeners: first.map { ($0.rank, Self.snapshot(UInt64($0.slot))) }))
    }
    return all.page(limit: listing.limit)
  }

  /// The whole list, part by part, as clients ask for it.
  private func list(
    _ order: ListenerListing.Order, by limit: Int, of values: [(id: UInt64, value: Double?)]
  ) throws -> [UInt64] {
    var listing = ListenerListing(order: order, limit: limit)
    var ids: [UInt64] = []
    while true {
      let page = page(listing, of: values)
      #expect(page.total == values.count && page.listeners.count <= limit)
      ids += page.listeners.map(\.id)
      guard let next = page.next else { return ids }
      listing.after = ListenerRank(next.text(in: order), in: order)
      #expect(listing.after == next)
    }
  }

  @Test(arguments: [1, 2, 7, 64, 1000])
  func `parts of any length give the whole list once`(limit: Int) throws {
    var values: [(id: UInt64, value: Double?)] = []
    for number in 1...200 {
      let value: Double? = number % 11 == 0 ? nil : Double(number * 7919 % 50) / 3
      values.append((id: UInt64(number), value: value))
    }
    let sorted = values.sorted { (a, b) -> Bool in
      let one: Double = a.value ?? -1
      let other: Double = b.value ?? -1
      return one == other ? a.id < b.id : one > other
    }
    let expected: [UInt64] = sorted.map { $0.id }
    #expect(try list(.offset, by: limit, of: values) == expected)
    #expect(try list(.lag, by: limit, of: values.reversed()) == expected)
    let joined: [UInt64] = values.map { $0.id }
    #expect(try list(.seconds, by: limit, of: values.shuffled()) == joined)
  }

  @Test func `a list goes on behind a listener that has gone`() {
    let values: [(id: UInt64, value: Double?)] = [(1, 10), (2, 30), (3, 20), (4, 5)]
    var listing = ListenerListing(order: .offset, limit: 2)
    let first = page(listing, of: values)
    #expect(first.listeners.map(\.id) == [2, 3])
    listing.after = first.next
    let rest = page(listing, of: values.filter { $0.id != 3 })
    #expect(rest.listeners.map(\.id) == [1, 4] && rest.next == nil && rest.total == 3)
  }

  @Test func `an empty list of listeners has no next part`() {
    let page = page(ListenerListing(limit: 5), of: [])
    #expect(page.listeners.isEmpty && page.total == 0 && page.next == nil)
  }

  @Test func `a place in the list is read as it was written, and nothing else is`() {
    let places: [(ListenerListing.Order, Double?, String)] = [
      (.seconds, nil, "7"), (.offset, 0.1, "0.1:7"), (.lag, -2, "-2.0:7"), (.lag, nil, "none:7"),
      (.offset, 1e300, "1e+300:7"),
    ]
    for (order, value, text) in places {
      let rank = ListenerRank(id: 7, value: value, in: order)
      #expect(rank.text(in: order) == text && ListenerRank(text, in: order) == rank)
    }
    for text in ["", ":", "7", "7:", ":7", "x:7", "nan:7", "inf:7", "1:-7", "1:7:8", "1: 7"] {
      #expect(ListenerRank(text, in: .offset) == nil, "\(text)")
    }
    for text in ["", "x", "-1", "1.5", "1:7", "18446744073709551616"] {
      #expect(ListenerRank(text, in: .seconds) == nil, "\(text)")
    }
  }
}
