import Ingest
import Library
import Programmes
import Synchronization
import Timeshift
import Wire

/// Items that do not fit as they are.
extension ProgrammeFeed {
  /// Items that are made to fit ahead.
  private static let itemsMadeAhead = 4
  /// Milliseconds for which an item that is due is waited for, until it is made: then the next one comes. And those
  /// after which people are told.
  static let madeWithin: Int64 = 30_000
  private static let madeToldAfter: Int64 = 1000

  /// Waits for an item that is due and is not made yet; true: it is passed over.
  func waitForMade(_ planned: Planned, _ file: MusicFile, at now: Moment) -> Bool {
    let moment = Self.moment(now)
    if madeLate?.item != planned.item { madeLate = (planned.item, moment) }
    let late = moment.saturatingSubtract(madeLate?.since ?? moment)
    if late >= Self.madeWithin {
      fail(file, ItemFailure("it was not made to fit in time"))
      return true
    }
    if late >= Self.madeToldAfter { show(.buffering, "makes its next track fit its format") }
    wait(Double(Self.madeToldAfter) / 1000)
    return false
  }

  /// Has items made to fit that come behind those which are opened.
  func makeAhead() {
    let coming = upcoming.prefix(Self.itemsMadeAhead)
    madeAhead.formIntersection(coming.map(\.item))
    for planned in coming.dropFirst(Self.readersMax) {
      guard let file = shelf.file(of: planned), let format = shelf.making(of: file),
        madeAhead.insert(planned.item).inserted
      else { continue }
      Task { [owner] in _ = await owner.make(file, format, planned.at) }
    }
  }
}
