import Server
import Testing

@testable import Settings

/// Seconds of windows, open files, and how many listeners there may be then.
private let cases: [([Double], Int, Int)] = [
  ([], 20_000, 19_700),
  ([14_400], 20_000, 19_456),
  ([90, 90], 20_000, 19_688),
  // Of segments a tenth of all files at most, and 2,048.
  ([86_400], 1024, 464),
  ([864_000], 20_000, 17_696),
  ([864_000], 100_000, 97_648),
  (Array(repeating: 60, count: 1000), 20_000, 14_700),
  // With few files an eighth, and of segments a quarter of all files.
  ([60], 100, 12),
  ([14_400], 400, 50),
]

private let windows: [[Double]] = [[], [60], [86_400, 86_400], [864_000]]

struct FileBudgetTests {
  @Test(arguments: cases)
  func `open files that upstreams and segments do not need are for listeners`(
    windows: [Double], openFiles: Int, listeners: Int
  ) {
    #expect(FileBudget(openFiles: openFiles, windows: windows).listenersPossible == listeners)
  }

  @Test(arguments: [100, 400, 1024, 20_000, 1_000_000])
  func `connections are more than listeners, and fewer than open files`(openFiles: Int) {
    let budget = FileBudget(openFiles: openFiles, windows: [14_400, 14_400])
    #expect(budget.connectionsPossible > budget.listenersPossible)
    // What one has open without a connection, the descriptors kept back among it.
    #expect(openFiles - budget.connectionsPossible >= min(75, openFiles / 2))
  }

  @Test(arguments: windows, [1, 500, 19_000, 100_000])
  func `the limit that is advised is enough`(windows: [Double], listeners: Int) {
    for hasMedia in [false, true] {
      var budget = FileBudget(openFiles: 1024, windows: windows, hasMedia: hasMedia)
      budget.openFiles = budget.needed(listeners: listeners)
      #expect(budget.listenersPossible >= listeners)
    }
  }

  @Test(arguments: [1024, 1500, 20_000, 524_288])
  func `files on demand take nothing from upstreams and logs`(openFiles: Int) {
    let windows = [14_400.0, 14_400]
    let budget = FileBudget(openFiles: openFiles, windows: windows, hasMedia: true)
    let without = FileBudget(openFiles: openFiles, windows: windows)
    let media = FileSource.openMax(ofOpenFiles: openFiles)
    #expect(budget.connectionsPossible + media <= without.connectionsPossible)
  }
}
