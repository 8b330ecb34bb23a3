// swift-tools-version: 6.2
import PackageDescription

// LONGWAVE_CORE=1 leaves out everything above Server, and with it every package from outside, and tests of what has neither
// threads nor raw memory, or cannot run there: for the sanitizer builds in deploy/test.
let coreOnly = Context.environment["LONGWAVE_CORE"] != nil

// LONGWAVE_STRICT=1 makes every warning an error: for our checks, not for who builds with a newer compiler.
let isStrict = Context.environment["LONGWAVE_STRICT"] != nil

// FUZZ=1 adds the parsers' fuzz targets, which deploy/fuzz builds with libFuzzer and runs.
let isFuzzing = Context.environment["FUZZ"] != nil

// What `longwave --version` names: LONGWAVE_COMMIT where a build has no repository, as that of a package.
let commit: String = {
  if let named = Context.environment["LONGWAVE_COMMIT"] { return named }
  guard let git = Context.gitInformation else { return "" }
  return git.currentCommit.prefix(12) + (git.hasUncommittedChanges ? "+changes" : "")
}()

// LONGWAVE_PINNED=1 takes just the versions named below, so that the same sources make the same program in a year: set in
// deploy/. A package that uses the library may need newer ones.
let isPinned = Context.environment["LONGWAVE_PINNED"] != nil

func dependency(_ name: String, _ version: Version) -> Package.Dependency {
  let url = "https://github.com/" + name
  return isPinned ? .package(url: url, exact: version) : .package(url: url, from: version)
}

let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (isStrict ? [.treatAllWarnings(as: .error)] : [])

// LONGWAVE_QUICK=1 optimises the packet path in a debug build as a release does, and leaves the rest to be compiled in
// seconds: set in deploy/. A package with such flags cannot be used by another, so they are no default.
let isQuick = Context.environment["LONGWAVE_QUICK"] != nil
let optimised: [SwiftSetting] =
  isQuick ? [.unsafeFlags(["-O", "-wmo", "-num-threads", "2", "-disable-batch-mode"])] : []
let optimisedC: [CSetting] = isQuick ? [.unsafeFlags(["-O2"])] : []
let optimisedCXX: [CXXSetting] = isQuick ? [.unsafeFlags(["-O2"])] : []
let packetPath: Set = [
  "Wire", "Threads", "Reactor", "Timeshift", "Media", "Ingest", "Audio", "Demo", "Server",
]
// What calculates months and years.
let calculating: Set = ["Programmes", "ProgrammesTests", "SimulationTests"]

// Each has a page, README.md, beside its sources.
func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(
    name: name, dependencies: dependencies, exclude: ["README.md"],
    swiftSettings: settings
      + (packetPath.union(calculating).contains(name) ? optimised : []))
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["TestSupport"],
    swiftSettings: settings + (calculating.contains(name) ? optimised : []))
}

// The layer order, written once. Every arrow points down; deploy/check-imports holds the sources to it.
let core: [Target] = [
  .target(name: "CLinux", cSettings: optimisedC),
  .systemLibrary(
    name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
  .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
  .systemLibrary(
    name: "CMpg123", pkgConfig: "libmpg123", providers: [.apt(["libmpg123-dev"])]),
  .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
  .systemLibrary(
    name: "CSyn123", pkgConfig: "libsyn123", providers: [.apt(["libmpg123-dev"])]),
  .systemLibrary(name: "CLame", pkgConfig: "lame", providers: [.apt(["libmp3lame-dev"])]),
  .systemLibrary(
    name: "CEbur128", pkgConfig: "libebur128", providers: [.apt(["libebur128-dev"])]),
  .systemLibrary(name: "CKissFFT", providers: [.apt(["libkissfft-dev"])]),
  .systemLibrary(name: "CCrypt", providers: [.apt(["libcrypt-dev"])]),
  // Loads libavcodec when it is first needed; without its headers (libavcodec-dev) it says that there is none.
  .target(name: "CAvcodec", cSettings: optimisedC),

  library("Wire", []),
  library("Threads", ["CLinux"]),
  library("Reactor", ["Threads", "CLinux", "COpenSSL"]),
  library("Timeshift", ["Wire", "Threads", "CLinux"]),
  library("Media", ["Wire", "Timeshift", "CLinux", "COpenSSL"]),
  library("Ingest", ["Wire", "Threads", "Timeshift", "Reactor", "Audio", "CCurl"]),
  library(
    "Audio", ["Wire", "CAvcodec", "CMpg123", "CSyn123", "CLame", "CEbur128", "CKissFFT"]),
  library("Demo", ["Wire", "Threads", "Timeshift", "Audio"]),
  library("Server", ["Wire", "Threads", "Timeshift", "Media", "Reactor", "CZlib"]),

  .target(
    name: "TestSupport", dependencies: ["Wire", "Timeshift", "Reactor", "CLinux"],
    path: "Tests/TestSupport", swiftSettings: settings + optimised),
  .executableTarget(
    name: "CrashWriter", dependencies: ["Wire", "Timeshift", "TestSupport"],
    path: "Tests/CrashWriter",
    swiftSettings: settings),
  tests("ThreadsTests", ["Threads"]),
  tests("TimeshiftTests", ["Timeshift", "CrashWriter"]),
  tests("MediaTests", ["Media"]),
  tests("ReactorTests", ["Reactor", "COpenSSL"]),
  .target(name: "CHeldNames", path: "Tests/CHeldNames"),
  tests("IngestTests", ["Ingest", "COpenSSL", "CHeldNames"]),
  tests("AudioTests", ["Audio"]),
  tests("DemoTests", ["Demo"]),
  tests("ServerTests", ["Server"]),
]

let product: [Target] = [
  // Alone, so that a new commit compiles nothing else again.
  .target(name: "CBuild", cSettings: [.define("LONGWAVE_COMMIT", to: "\"\(commit)\"")]),
  // What browsers get, from Sources/Web.
  .target(name: "CWeb"),
  // TagLib behind a C header, so that no Swift file sees C++.
  .target(name: "CTag", cxxSettings: optimisedCXX, linkerSettings: [.linkedLibrary("tag")]),
  // The pages of the manual, for `longwave help`.
  .target(name: "CManual"),
  library("Programmes", ["Wire"]),
  library(
    "Settings",
    [
      "Wire", "Threads", "Timeshift", "Media", "Reactor", "Ingest", "Audio", "Server", "Programmes",
      .product(name: "Yams", package: "Yams"),
    ]),
  library(
    "Store",
    [
      "Wire", "Threads", "Timeshift", "Reactor", "Server", "Settings",
      .product(name: "GRDB", package: "GRDB.swift"),
    ]),
  library(
    "Library",
    [
      "Wire", "Threads", "Timeshift", "Media", "Reactor", "Audio", "CLinux", "CTag",
      .product(name: "GRDB", package: "GRDB.swift"),
      .product(name: "GRDBSQLite", package: "GRDB.swift"),
    ]),
  library(
    "Longwave",
    [
      "Wire", "Threads", "Timeshift", "Media", "Reactor", "Ingest", "Audio", "Demo", "Server",
      "Settings", "Store", "Library", "Programmes", "CCrypt",
      .product(name: "Logging", package: "swift-log"),
    ]),
  library(
    "LongwaveAPI",
    ["Longwave", "Wire", "Threads", "Timeshift", "Reactor", "Ingest", "Server", "Library", "CWeb"]),
  library(
    "LongwaveAdmin",
    [
      "Longwave", "Wire", "Threads", "Timeshift", "Reactor", "Ingest", "Audio", "Server", "Store",
      "CManual",
    ]),
  .executableTarget(
    name: "LongwaveCLI",
    dependencies: [
      "Longwave", "LongwaveAPI", "LongwaveAdmin", "Store", "Library", "CBuild",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ], swiftSettings: settings),
  .executableTarget(
    name: "LongwaveBench",
    dependencies: [
      "Wire", "Timeshift", "Reactor", "TestSupport",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
      .product(name: "Histogram", package: "hdrhistogram-swift"),
    ], path: "Tests/Bench", swiftSettings: settings),
  // Attacks the relay's own program with what strangers send: deploy/attack.
  .executableTarget(
    name: "LongwaveAttack",
    dependencies: [
      "Longwave", "LongwaveAdmin", "Reactor", "TestSupport",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ], path: "Tests/Attack", swiftSettings: settings),
  tests("WireTests", ["Wire"]),
  tests("ProgrammesTests", ["Programmes", "Wire"]),
  .target(name: "CHotPath", path: "Tests/CHotPath"),
  tests("HotPathTests", ["Server", "CHotPath"]),
  tests("SettingsTests", ["Settings"]),
  tests("StoreTests", ["Store", .product(name: "GRDB", package: "GRDB.swift")]),
  tests("LibraryTests", ["Library", .product(name: "GRDB", package: "GRDB.swift")]),
  tests(
    "LongwaveTests",
    [
      "Longwave", "LongwaveAPI", "LongwaveAdmin", "Settings", "Store", "Library",
      .product(name: "GRDB", package: "GRDB.swift"),
    ]),
  tests("RelayTests", ["Longwave", "LongwaveAPI", "LongwaveAdmin"]),
  // A station on a simulated network, clock and disk: deploy/simulate.
  tests("SimulationTests", ["Ingest", "Server", "Longwave"]),
]

let fuzzing: [Target] = [
  .target(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
  .executableTarget(
    name: "LongwaveFuzz",
    dependencies: [
      "Wire", "Timeshift", "Media", "Reactor", "Ingest", "Server", "TestSupport", "CFuzzer",
    ],
    path: "Tests/Fuzz/LongwaveFuzz", swiftSettings: settings,
    // gold, which is the default, dies of so many sanitized symbols.
    linkerSettings: [.unsafeFlags(["-use-ld=lld"])]),
]

let package = Package(
  name: "longwave",
  products: coreOnly
    ? []
    : [
      .library(name: "Longwave", targets: ["Longwave", "LongwaveAPI"]),
      .executable(name: "longwave", targets: ["LongwaveCLI"]),
      .executable(name: "longwave-bench", targets: ["LongwaveBench"]),
    ],
  dependencies: coreOnly
    ? []
    : [
      dependency("apple/swift-argument-parser", "1.8.2"),
      dependency("apple/swift-log", "1.16.2"),
      dependency("groue/GRDB.swift", "7.10.0"),
      dependency("jpsim/Yams", "6.2.2"),
      dependency("HdrHistogram/hdrhistogram-swift", "0.2.0"),
    ],
  targets: core + (coreOnly ? [] : product) + (isFuzzing ? fuzzing : []),
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
