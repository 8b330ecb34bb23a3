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
  /// Milliseconds for which an item that is due is waited for, until it is made, where the one behind it can be played,
  /// and where nothing can. And those after which people are told.
  private static let (madeWithin, madeMost): (Int64, Int64) = (5000, 900_000)
  private static let madeToldAfter: Int64 = 1000

  /// - Parameter format: nil of a file that is played as it is.
  func makeReader(of file: MusicFile, as format: MadeFormat?, due: Int64) -> ItemReader {
    guard let format else { return ItemReader(file, turns) }
    return ItemReader(file, as: format, turns) { [owner] in await owner.make(file, $0, due) }
  }

  /// Whether an item that is to cut what plays is not made yet. It is made before all others, then.
  func waitsForMaking(_ planned: Planned?) -> Bool {
    guard let planned, let reader = readers[planned.item] else { return false }
    if reader.isMade, case .failed(let failure) = reader.state, !failure.isOfFile,
      triedAgain != planned.item
    {
      // What could not be made ahead may be made by now.
      (triedAgain, readers[planned.item]) = (planned.item, nil)
      look()
      return true
    }
    guard reader.isBeingMade else { return false }
    if hastened != planned.item {
      hastened = planned.item
      hasten(reader.file)
    }
    // What was decided on comes, however late.
    guard decided == nil else { return true }
    let before = playing?.until
    findCut()
    // What is too late by now cuts nothing, and is not next any more.
    if before != nil, playing?.until.map({ $0 > Self.moment() }) ?? true { look() }
    return true
  }

  private func hasten(_ file: MusicFile) {
    guard let format = shelf.making(of: file) else { return }
    Task { [owner] in _ = await owner.make(file, format, 0) }
  }

  /// Waits for an item that is due and is not made yet; true: it is passed over.
  func waitForMade(_ item: UInt64, _ file: MusicFile, at now: Moment) -> Bool {
    let moment = Self.moment(now)
    if madeLate?.item != item {
      madeLate = (item, moment)
      // It may wait behind what is due later: nothing is sooner than this.
      hasten(file)
    }
    let late = moment.saturatingSubtract(madeLate?.since ?? moment)
    let next = upcoming.first { UInt64(clamping: $0.item) != item }
    if late >= (isReady(next, insteadOf: file) ? Self.madeWithin : Self.madeMost) {
      fail(file, ItemFailure("it was not made to fit in time"))
      return true
    }
    if late >= Self.madeToldAfter { show(.buffering, "makes its next track fit its format") }
    wait(Double(Self.madeToldAfter) / 1000)
    return false
  }

  /// - Parameter due: the file that waits. Parts of one file are made at once, so one is no reason to pass over another.
  func isReady(_ planned: Planned?, insteadOf due: MusicFile? = nil) -> Bool {
    guard let planned, let file = shelf.file(of: planned), file.wholeKey != due?.wholeKey else {
      return false
    }
    return shelf.making(of: file) == nil || readers[planned.item]?.media != nil
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
