// Every number that the product promises or relies on, with its unit in the name and its reason in a comment. Code, tool
// descriptions and tests all read the numbers from here.

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  /** Of an access key. 20 random letters and digits cannot be guessed. */
  accessKeyMinChars: 20,
  /** Wrong access keys that one address may send within the time; further ones are refused unread. A mistyped key takes a few. */
  wrongKeysMax: 10,
  wrongKeysWithinMs: minute,
  /** Addresses whose wrong keys are counted at once, some hundred bytes each. */
  wrongKeyAddressesMax: 10_000,
  /** Hosts in the allow list of a sandbox, and in its deny list. Each outgoing request is compared with all of them. */
  egressHostsMax: 200,
  /** Shorter than the timeout of every client: the SDKs and the desktop apps give up after about 60 s. */
  waitDefaultMs: 45 * second,
  /** Clients that allow longer calls stop at 5 minutes. */
  waitMaxMs: 280 * second,
  /** When `background` answers: late enough to show the failure of a command that fails at once. */
  backgroundWaitMs: 300,
  /** Long enough for an install or a test run, short enough to end a forgotten command. */
  timeoutDefaultMs: 10 * minute,
  timeoutMaxMs: 24 * hour,
  /** The time between TERM and KILL, enough to flush output and remove a lock file. */
  killGraceMs: 2 * second,
  /** After the command ends, its pipes must be silent for this long before the call answers. */
  drainQuietMs: 50,
  /** The call then answers at the latest after this, even if a background process still writes. */
  drainMaxMs: 500,

  /** Bytes kept in memory from the start of each stream, and as many from its end. */
  captureHeadBytes: 128 * KiB,
  captureTailBytes: 128 * KiB,
  /** Text of one stream in an answer. Two streams and the rest of the answer stay under Claude Code's 50,000 characters. */
  answerStreamChars: 16_000,
  /** The raw log of one stream stops here, so that no command fills the disk. */
  logMaxBytes: 64 * MiB,
  /** With more output than this waiting for the disk, the pipe is not read; it bounds the memory that a burst takes. */
  logPendingBytes: 256 * KiB,
  /** When one write to a log takes longer, the log ends, so that it does not block the process. */
  logStallMs: 5 * second,
  /** Finished processes whose records and logs are kept; the oldest are dropped first. */
  finishedProcessesMax: 200,
  /** Live processes of one machine: far more than ordinary use needs, far fewer than would exhaust it. */
  liveProcessesMax: 200,
  /** Ids of dropped processes that are remembered, so that a late repeat does not run a command twice. */
  droppedProcessIdsMax: 10_000,

  /** How much longer than its work an answer of the runner may take: a machine that its commands have used up answers late. */
  runnerGraceMs: 15 * second,
  /** How often a runner is asked whether it still responds while an answer that may take longer is waited for. */
  runnerPulseMs: 15 * second,
  /** An answer of the runner without the contents that were asked for: a list of 5,000 entries has about 1 MiB. */
  runnerFrameMaxBytes: 4 * MiB,
  /** With them: one call between the parts of the platform carries no more. */
  runnerAnswerMaxBytes: 32 * MiB,
  /** An answer of the runner without its strings: a list of 5,000 entries has about 200 KiB. */
  runnerStructureMaxChars: 512 * KiB,
  /** A process operation that does not wait for the process, longest one that kills everything. */
  processAnswerMaxMs: 30 * second,
  /** When the download of a file must have begun: it is only opened before that. */
  transferStartMs: minute,
  /** A list of sandboxes shows what is known of one whose status takes longer. */
  listedStatusMs: 10 * second,
  /** A sandbox that takes longer to fall asleep, to make room for another one, counts as busy. */
  makeRoomMs: minute,

  /** One request to the runner: a large file in base64 and the JSON around it. */
  requestMaxBytes: 32 * MiB,
  /**
   * Linux refuses an argument or variable over 128 KiB. A command is passed as both, so this leaves room for the variable
   * name.
   */
  commandMaxBytes: 128 * KiB - 64,
  /** All environment variables of one call. Linux counts them together with the arguments. */
  envMaxBytes: 256 * KiB,
  /** Input of one command; it is kept in memory. */
  stdinMaxBytes: 16 * MiB,
  /** When a process does not read its input, the call answers after this; the accepted input stays queued. */
  writeWaitMs: 5 * second,

  /** At most four progress notifications per second. */
  progressIntervalMs: 250,
  /** How often a caller is told that the machine is still starting. */
  progressStartingMs: 2 * second,
  /** How often a caller is told that a silent command is still running. */
  progressQuietMs: 10 * second,

  /** One MCP request body, such as a file in base64. */
  mcpBodyMaxBytes: 16 * MiB,
  /**
   * How much of a refused request is read before its answer, so that the client, who is still sending, gets the answer: more
   * than one MCP request may have.
   */
  unreadBodyMaxBytes: 64 * MiB,
  unreadBodyMaxMs: 10 * second,
  /** One result: its text for the model, and all of it together. Clients refuse 1 MB. */
  resultMaxChars: 40_000,
  resultMaxBytes: 900 * 1000,
  /** The text of an error: enough for a diff and the advice after it, which a longer text would hide. */
  errorMaxChars: 10_000,
  /** How much of a name, a glob or a pattern an error repeats, so that the caller recognizes it. */
  echoMaxChars: 200,

  /** Lines of a read without `limit`, and its text, which leaves room for the rest of the answer. */
  fileReadLines: 2_000,
  fileReadChars: 38_000,
  /** What the number and the line break of each line add to the text. */
  fileLineFrameChars: 9,
  /** A longer line is cut, unless the call asks for few lines. */
  fileLineChars: 2_000,
  /** In a larger file, only the lines read are counted. Counting this much takes about a second. */
  fileCountMaxBytes: 1024 * MiB,
  /** A larger file is not hashed. Hashing this much takes about a tenth of a second. */
  fileHashMaxBytes: 64 * MiB,
  /** An edit holds the file in memory several times. */
  fileEditMaxBytes: 64 * MiB,
  /** How much of a file is examined to tell text from other formats. */
  fileSniffBytes: 8 * KiB,
  /** Files are read in pieces of this size. */
  filePieceBytes: 256 * KiB,
  /** Bytes of a base64 read: in one answer, and in one request to the runner. */
  fileBytesDefault: 24 * KiB,
  fileBytesMax: 16 * MiB,
  /** Clients refuse larger images, or end the session because of them. */
  imageSideMax: 2_000,
  imageBase64MaxChars: 700 * 1000,
  /** Text of a diff in an answer: a reader follows no more. */
  fileDiffChars: 12_000,
  /** Overwriting a larger file shows no diff, which would take too long. */
  fileDiffMaxBytes: 512 * KiB,
  /** An append to a larger file writes in place instead of copying the file, which would take too long. */
  fileAppendCopyMaxBytes: 4 * MiB,
  /** Two levels show the structure of a project; `depth` goes deeper. */
  fileListDepth: 2,
  fileListDepthMax: 20,
  /** Entries of one list, and of each directory below the listed one, so that one directory does not fill the answer. */
  fileListEntries: 500,
  fileListMaxEntries: 5_000,
  fileListInnerEntries: 60,
  /** A copy of more entries is refused, and a delete counts no more. */
  fileTreeMaxEntries: 1_000_000,

  /** Hits or files on one page of a search. */
  searchLimitDefault: 100,
  searchLimitMax: 1_000,
  searchOffsetMax: 100_000,
  searchContextMax: 20,
  /** A longer line is cut to the part around the hit; a match over several lines may be ten times as long. */
  searchLineChars: 400,
  /** Text of the hits: together with the rest of the answer it stays under `resultMaxChars`. */
  searchPageChars: 36_000,
  /** A search returns what it has found after this, well before clients give up. */
  searchMaxMs: 30 * second,
  /** How much longer a search may take to find out why nothing matched: usually milliseconds, longer on a busy machine. */
  searchDiagnosisMs: 5 * second,
  /** A multiline match needs the whole file in memory, so a multiline search skips larger files unless `path` names one. */
  searchMultilineFileMaxBytes: 128 * MiB,
  /** Linux refuses an argument over 128 KiB; no reasonable pattern is this long. */
  searchPatternMaxBytes: 64 * KiB,
  /** A glob may be as long as a path; this many globs stay far below what Linux accepts as arguments. */
  searchGlobMaxChars: 4096,
  searchGlobsMax: 100,
  /** The names of ripgrep's file types are single words. */
  searchTypeMaxChars: 100,

  /** How often a stream is written to, so that proxies keep it open. A client that left is noticed by the second write. */
  keepAliveMs: second,

  /** A machine without calls and processes sleeps after this (setting SLEEP_AFTER). */
  sleepAfterMs: 10 * minute,
  /** A background process keeps its machine awake for this long after the last call (setting LONGEST_AWAKE). */
  longestAwakeMs: 4 * hour,
  /** A change is stored after this, or with the next checkpoint while one is being taken (setting CHECKPOINT_AFTER). */
  checkpointAfterMs: 30 * second,
  /**
   * Automatic checkpoints thin out with age: all are kept for an hour, one of each hour for a day, one of each day for a week. Named
   * ones stay until they are deleted.
   */
  checkpointsKeepAllMs: hour,
  checkpointsKeepHourlyMs: 24 * hour,
  checkpointsKeepDailyMs: 7 * 24 * hour,
  /** Of the last hour, only so many are kept: far more than there are with the default CHECKPOINT_AFTER. */
  checkpointsKeepAllMax: 1_000,
  /** Checkpoints on one page of a list: a reader follows no more. */
  checkpointsListed: 50,
  /** Compressed bytes stored for one sandbox: several full disks of a standard machine. */
  checkpointsQuotaBytes: 10 * 1024 * MiB,
  /** Above this fraction of the quota, every list warns that it is nearly used up. */
  checkpointsQuotaWarning: 0.8,
  /** Layers of one checkpoint: each costs a request when a machine starts. */
  checkpointChainMax: 16,
  /** The layers of a checkpoint may hold twice the bytes of its files and this much more, which a restore reads for nothing. */
  checkpointChainFreeBytes: 8 * MiB,
  /** A machine that is told to shut down ends when the server has done nothing for its last checkpoint in this time, */
  checkpointEndingMs: 3 * second,
  /** and in any case after this. */
  checkpointEndingMaxMs: 25 * second,
  /** How long one checkpoint-watch call waits for a shutdown before it is repeated. */
  checkpointWatchMs: 5 * minute,
  /** A checkpoint or a restore that takes longer is given up. Several GB take a minute or two. */
  checkpointMaxMs: 10 * minute,
  /** The longest pause before the next attempt to store files after a failure. */
  checkpointRetryMaxMs: 10 * minute,
  /** Kept free for the archive of a checkpoint on a disk that commands have filled. */
  checkpointReserveBytes: 64 * MiB,
  /** While storing files keeps failing, a notice says so again after this. */
  checkpointFailureNoticeMs: 10 * minute,
  /** The name of a checkpoint fits on one line of a list. */
  checkpointNameChars: 80,
  /** Names of each kind in a diff of checkpoints, and text of one file in it. */
  checkpointDiffNames: 200,
  /** A directory with more in it than this stands for its contents when all of it was added or removed. */
  checkpointDiffInnerNames: 10,
  /** Differences that are held in memory, to find out what was renamed; the rest is only counted. */
  checkpointDiffTracked: 100_000,
  checkpointDiffChars: 20_000,

  /** Counting disk space stops after this, because a status must answer at once. */
  usageMaxMs: 2 * second,
  /** How much longer its answer may take. */
  usageGraceMs: 5 * second,
  /** How long a call that met a full disk looks for what fills it: the failure itself must not take long. */
  fullDiskSearchMs: 2 * second,
  /** Sandboxes of one principal, and how many of them may be awake (settings MAX_SANDBOXES and MAX_AWAKE). */
  sandboxesMax: 20,
  awakeMax: 5,
  /** The minimum that configure accepts: a machine must outlive the pause between two calls. */
  sleepAfterMinMs: 10 * second,
  /** Environment variables of a sandbox, which are added to those of every call. */
  sandboxEnvMaxBytes: 64 * KiB,
  sandboxEnvMaxVariables: 200,
  /** A forgotten preview expires. */
  previewDefaultMs: 24 * hour,
  previewMaxMs: 30 * 24 * hour,
  previewsMax: 20,
  /** How often the page for a port without a listener reloads. */
  previewReloadMs: 1 * second,
  /** A machine that does not stop within this, including its last checkpoint, is killed. */
  machineStopMs: 30 * second,
  /** The pause between attempts to get a machine while the platform has none: it doubles from the first to the second. */
  startRetryMinMs: 500,
  startRetryMaxMs: 8 * second,
  /** When to try again after all those attempts failed. */
  startRetryLaterMs: 15 * second,
  /** A machine that is not up after this is reported as a failure. */
  machineStartMs: 2 * minute,
  /** How often the port of a starting machine is polled. */
  portPollMs: 15,

  /** Code of one run_js call. Parsing more would delay other requests of the same Worker isolate. */
  codeMaxChars: 256 * 1024,
  /** Isolates of one principal that run at once; the platform allows 4 for one request. Other runs queue. */
  isolatesAtOnce: 4,
  /** A run that queued for longer reports it in a notice. */
  isolateQueueNoticeMs: 1 * second,
  /** CPU time of one isolate. Where the platform enforces it, it ends an endless loop, which a timer cannot. */
  isolateCpuMs: 10 * second,
  /** How long a run that reached its deadline waits for its isolate to be ended by force, and for its last log entries. */
  isolateEndMs: 300,
  /** Provider calls of one run. A command in the machine suits larger jobs better. */
  runCallsMax: 500,
  /** Provider calls at once. Others wait inside the isolate, where their arguments use its memory. */
  runCallsAtOnce: 16,
  /** Output of one process that code gets at once, both streams together; larger output is read in parts. */
  runOutputMaxBytes: 8 * MiB,
  /**
   * Arguments or result of one provider call: the output of a process and its report. The platform's copies of both count
   * against 128 MB of memory.
   */
  runCallMaxBytes: 9 * MiB,
  /** Arguments and results of all provider calls of a run. */
  runMaxBytes: 64 * MiB,
  /** The value of a run as it leaves the isolate: larger than an answer, so that the Worker can choose what to show of it. */
  runResultMaxChars: 256 * KiB,
  /** Logs of a run that leave the isolate; further entries are only counted. */
  runLogMaxChars: 256 * KiB,
  /** Logs in an answer (the first and the last entries), which leaves room for the value. */
  answerLogChars: 10_000,
  /** One value of `state`, and how many values a sandbox keeps: enough for notes between runs, not for data. */
  stateValueMaxChars: 64 * KiB,
  stateKeyMaxChars: 256,
  stateKeysMax: 1_000,
  /** One response of an API that a provider calls. */
  providerResponseMaxBytes: 8 * MiB,
} as const;
