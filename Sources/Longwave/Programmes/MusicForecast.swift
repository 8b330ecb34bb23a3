import Library
import Media
import Programmes
import Settings
import Store
import Timeshift
import Wire

/// What a programme would play of its folders, before it has played anything.
package struct MusicForecast: Hashable, Sendable {
  package let station: String
  package var tracks = 0
  /// Seconds of what is played of all tracks.
  package var seconds = 0.0
  package var asTheyAre = 0
  /// Tracks that are made to fit, their seconds, and the bytes that they take then.
  package var made = 0
  package var madeSeconds = 0.0
  package var madeBytes: UInt64 = 0
  package var left = 0
  /// The first file that is left out, and why.
  package var firstLeft: String?
  /// Whether the folders could be looked through in time.
  package var isWhole = true

  /// What was counted: folders may lie in each other, and copies are one track.
  private var seen: Set<TrackKey> = []
  private var seenRefused: Set<String> = []

  init(_ station: String) { self.station = station }

  fileprivate mutating func add(
    _ folder: MusicFolder, _ fit: MusicFit?, _ notes: [TrackKey: TrackNote]
  ) {
    for file in folder.files where seen.insert(file.key).inserted {
      let note = notes[file.key] ?? TrackNote()
      if note.isExcluded {
        leave(file.shownPath, MusicShelf.excludedWords)
        continue
      }
      let heard = note.cue?.seconds(of: file.seconds, isExact: file.isExact) ?? file.seconds
      switch fit?.way(of: file) {
      case .asItIs?:
        asTheyAre += 1
        seconds += heard
      case .made(let format)?:
        made += 1
        seconds += heard
        // All of a file is made, whatever is played of it.
        madeSeconds += file.seconds
        madeBytes = madeBytes.saturatingAdd(
          UInt64(bounded: file.seconds * Double(format.bitrate) * 125))
      case .refused(let reason)?: leave(file.shownPath, reason)
      case nil: break
      }
    }
    for refused in folder.refused {
      leave(MusicFolder.shown(refused.path, in: folder.root), refused.reason)
    }
    tracks = asTheyAre + made
  }

  private mutating func leave(_ path: String, _ reason: String) {
    guard seenRefused.insert(path).inserted else { return }
    left += 1
    firstLeft = firstLeft ?? "\(path) \(reason)"
  }
}

extension Configuration {
  /// Returns what programmes would play of their folders. Blocks, for some seconds at most.
  ///
  /// - Parameters:
  ///   - data: the folder of the relay's own files, which is left out.
  ///   - seconds: how long all folders are looked through.
  package func musicForecasts(data: String, within seconds: Double = 10) -> [MusicForecast] {
    let began = MonotonicTime.now()
    let hidden = PrivateFolder(data, except: [recordings.folder(inData: data)])
    let notes = StationStore.trackNotes(in: data)
    var looked: [String: MusicLook] = [:]
    return stations.compactMap { station in
      guard let programme = station.programme else { return nil }
      let paths = Set(
        programme.sources.compactMap { if case .folder(let path) = $0 { path } else { nil } })
      for path in paths where looked[path] == nil {
        let scan = MusicScan(
          path, hidden: hidden, tags: nil,
          goesOn: { _ in MonotonicTime.now().seconds(since: began) < seconds })
        looked[path] = scan.look()
      }
      let looks = paths.sorted().compactMap { looked[$0] }
      var forecast = MusicForecast(station.id)
      forecast.isWhole = !looks.contains { $0.trouble == .ended }
      let folders = looks.filter { $0.trouble == nil }.map(\.folder)
      // Of folders that are not there something else is said.
      if folders.isEmpty, forecast.isWhole { return nil }
      let fit = MusicFit(programme.format, log: nil, of: folders.lazy.flatMap(\.files))
      for folder in folders { forecast.add(folder, fit, notes) }
      return forecast
    }
  }
}
