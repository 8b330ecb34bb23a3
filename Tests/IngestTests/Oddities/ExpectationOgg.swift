import TestSupport
import Testing
import Timeshift

@testable import Ingest
@testable import Wire

extension Expectation {
  /// The log is one logical stream of these packets of Opus, and no other.
  static func packets(_ ranges: Range<Int>...) -> Expectation {
    let wanted = ranges.flatMap { Array($0) }
    return Expectation(when: { LoggedOgg($0.audio).numbers.count >= wanted.count }) { station, _ in
      let logged = LoggedOgg(station.audio)
      #expect(Array(logged.numbers.prefix(wanted.count)) == wanted)
      #expect(logged.isWhole && logged.serials.count == 1, "\(logged.serials)")
    }
  }

  /// What who comes now is given before the audio.
  static func link(_ matches: @escaping @Sendable (OggHeaders) -> Bool) -> Expectation {
    Expectation(when: { station in
      let headers = station.log.snapshot().headers
      return OggHeaders.read(pages: headers.span).map { matches($0.headers) } ?? false
    })
  }

  /// The log's formats, in order.
  static func codecs(_ codecs: Codec...) -> Expectation {
    Expectation(when: { $0.codecs.count >= codecs.count }) { station, _ in
      #expect(station.codecs == codecs)
    }
  }
}

extension IngestHarness {
  fileprivate var codecs: [Codec] {
    let reader = LogReader(log)
    reader.refresh()
    var codecs: [Codec] = []
    var place = reader.oldest.position
    while place < reader.edge.position {
      if let format = reader.format(at: place) { codecs.append(format.codec) }
      place = reader.nextFormatPosition(after: place)
    }
    return codecs
  }
}
