import Library
import Longwave
import Threads
import Timeshift

extension Figures {
  static let library: [Figure<Scrape>] =
    (whole + roots.map { $0.by("root", \.id).each(\.roots) }).map { $0.of(\.metrics.library) }

  private static let whole: [Figure<LibraryReport>] = [
    Figure("longwave_library_tracks", "Tracks that the library knows.", \.all.tracks),
    Figure("longwave_library_measured_tracks", "Tracks whose loudness was measured.", \.measured),
    Figure(
      "longwave_library_search_seconds", "How long the library's database took to answer.",
      \.searches),
  ]

  private static let roots: [Figure<LibraryRoot>] = [
    Figure("longwave_library_files", "Files that can be played.", \.files),
    Figure("longwave_library_missing_files", "Files that are gone and not forgotten.", \.missing),
    Figure("longwave_library_problems", "Files that cannot be played.", \.problems),
    Figure("longwave_library_root_ok", "0 while what is found there is not believed.", \.isOK),
    Figure("longwave_library_scan_seconds", "How long the last look took.", \.scanSeconds),
    Figure(
      "longwave_library_scan_timestamp_seconds", "When the last look began.", \.scanBegan?.seconds),
  ]
}
