import { address, choice, duration, integer, path, type Setting, secretText, size, text, yesOrNo } from "./setting.ts"

/** Every setting there is. Types, environment names, checks, `hearth config` and the documents are derived from this table. */
export const settings = {
  dataDir: path("./data", "The folder of everything that Hearth keeps: repositories, pictures, the embedded database and the key."),
  databaseUrl: address(
    "The database. By default the SQLite file hearth.db in dataDir.",
    /^(sqlite:.+|postgres(ql)?:\/\/.+)$/,
    "sqlite:/path/to/file.db, or postgres://user:password@host/name",
  ),
  rootUrl: text("", "The address that people and tools use, without a slash at its end. By default http://localhost and the port.", {
    accepts: "an http:// or https:// address without user, query or fragment",
  }),
  http: {
    host: text(
      "127.0.0.1",
      "The network address to listen on. 0.0.0.0 and :: let other machines in; put a proxy that speaks TLS before that.",
      {
        accepts: "an IP address or a host name",
        pattern: /^[\w.:-]+$/,
      },
    ),
    port: integer(3000, "The port to listen on; 0 takes a free one.", { max: 65_535 }),
  },
  ssh: {
    host: text("", "The network address that git over SSH listens on. By default that of http.host.", {
      accepts: "an IP address or a host name",
      pattern: /^[\w.:-]*$/,
    }),
    port: integer(2222, "The port that git over SSH listens on; 0 switches it off.", { max: 65_535 }),
    publicPort: integer(0, "The port that people reach SSH at, where something forwards it. By default ssh.port.", { max: 65_535 }),
  },
  admin: {
    username: text("root", "The name of the administrator that the first start makes."),
    password: secretText("The password of that administrator. Without it the first start makes one and prints it once."),
    email: text("", "The e-mail address of that administrator. By default its no-reply address.", {
      accepts: "an e-mail address",
      pattern: /^[^\s@]+@[^\s@]+$/,
    }),
  },
  api: {
    notFoundBody: choice(
      ["none", "json"],
      "none",
      "What comes with a 404: nothing, or {message, url} for clients that parse every refusal.",
    ),
    defaultPageSize: integer(30, "How many entries a list gives when the caller doesn't say.", { min: 1, max: 1000 }),
    maxPageSize: integer(50, "The most entries that a list gives at once.", { min: 1, max: 1000 }),
    maxBodyBytes: size(
      32 * 2 ** 20,
      "The largest body of an API request. File contents sent through the API are a third larger there than on disk.",
    ),
  },
  git: {
    path: text("git", "The git program, 2.39 or newer: a path, or a name looked up in PATH.", {
      accepts: "a path or a name",
      pattern: /^[^\0]+$/,
    }),
    maxConcurrentPacks: integer(8, "How many fetches are served at once; the rest wait.", { min: 1 }),
    maxConcurrentPacksPerRepository: integer(4, "How many fetches of one repository are served at once.", { min: 1 }),
    maxQueueSeconds: duration(60, "How long a fetch or push waits for its turn before it is refused as busy."),
    maxPushBytes: size(8 * 2 ** 30, "The largest pack that one push may send."),
    pushToCreate: {
      user: yesOrNo(false, "Pushing to a repository that is missing below one's own name makes it."),
      organization: yesOrNo(
        false,
        "Pushing to a repository that is missing below an organisation makes it, for those who may create there.",
      ),
    },
  },
  lfs: {
    enabled: yesOrNo(true, "Keep large files beside git for those who use Git LFS."),
    maxBytes: size(8 * 2 ** 30, "The largest file that is kept for Git LFS."),
  },
  security: {
    passwordMinLength: integer(8, "The shortest password that is accepted.", { min: 1, max: 72 }),
    rememberSignInSeconds: duration(300, "How long a password that was checked is not checked again. 0 checks it with every request."),
    maxConcurrentPasswordChecks: integer(2, "How many passwords are checked at once. Each takes one core and 16 MiB for some 40 ms.", {
      min: 1,
    }),
    secretKey: secretText("The key that seals stored secrets. By default the file secret.key in dataDir, made at the first start.", {
      accepts: "32 random bytes in hex (64 digits) or base64",
      pattern: /^([0-9a-fA-F]{64}|[\w+/-]{43}=?)$/,
    }),
    queryTokens: yesOrNo(false, "Accept tokens as ?token= and ?access_token=. Off, because addresses end up in logs and histories."),
    requireSignIn: yesOrNo(false, "Show nothing to those who are not signed in."),
    recoverySeconds: duration(10_800, "How long the link in a password recovery mail is valid.", { min: 60 }),
  },
  repository: {
    defaultBranch: text("main", "The default branch of new repositories.", { accepts: "a branch name", pattern: /^[\w][\w./-]*$/ }),
    defaultPrivate: yesOrNo(false, "New repositories are private unless their maker says otherwise on the web."),
    forcePrivate: yesOrNo(false, "New repositories are always private, and none can be made public."),
    maxPerUser: integer(-1, "How many repositories a user or organisation may own unless set for that one; -1 sets no limit.", { min: -1 }),
    visibilityByOwnersOnly: yesOrNo(false, "Only owners of an organisation change the visibility of its repositories."),
  },
  users: {
    allowCreateOrganization: yesOrNo(true, "New users may make organisations."),
    autoWatchNewRepositories: yesOrNo(true, "People watch the repositories that they make or get through a team."),
    autoWatchOnPush: yesOrNo(false, "People watch the repositories that they push to."),
    defaultVisibility: choice(
      ["public", "limited", "private"],
      "public",
      "Who sees new users: everyone, those signed in, or those who share an organisation.",
    ),
    confirmEmails: yesOrNo(
      true,
      "Addresses that people add count once they are confirmed from the mail that is sent there. Without a mail server they count at once.",
    ),
    activateByMail: yesOrNo(
      false,
      "Users whom administrators make through the API are inactive until they follow the link in a mail. Without a mail server they are active at once.",
    ),
    confirmationSeconds: duration(86_400, "How long the link in a mail is good that activates an account or confirms an address.", {
      min: 60,
    }),
    noReplyDomain: text("", "The domain of addresses for users who hide theirs. By default noreply. and the host of rootUrl.", {
      accepts: "a domain name",
      pattern: /^[\w.-]+$/,
    }),
  },
  mail: {
    host: text("", "The mail server (SMTP) that notifications and links for new passwords are sent through. Without it no mail is sent.", {
      accepts: "an IP address or a host name",
      pattern: /^[\w.:-]+$/,
    }),
    port: integer(587, "The port of the mail server.", { min: 1, max: 65_535 }),
    tls: choice(
      ["starttls", "implicit", "none"],
      "starttls",
      "How the connection is protected: from its beginning (implicit, usually port 465), from the greeting on, or not at all.",
    ),
    username: text("", "The name that Hearth signs in to the mail server with. Without it, it doesn't sign in."),
    password: secretText("The password that goes with that name."),
    from: text("", "The address that mails come from. By default noreply@ and the host of rootUrl.", {
      accepts: "an e-mail address",
      pattern: /^[^\s@<>]+@[^\s@<>]+$/,
    }),
  },
  migrations: {
    enabled: yesOrNo(true, "People may bring repositories here from other servers."),
  },
  mirror: {
    enabled: yesOrNo(true, "Repositories may follow others elsewhere, and be followed there. Off, those that do are left as they are."),
    minInterval: duration(600, "The shortest time between two updates of a mirror.", { min: 60 }),
    defaultInterval: duration(28_800, "The time between two updates of a mirror whose maker doesn't say.", { min: 60 }),
  },
  attachments: {
    enabled: yesOrNo(true, "People may attach files to issues, comments and releases."),
    maxBytes: size(100 * 2 ** 20, "The largest file that may be attached to an issue or a comment."),
    types: text(
      ".csv, .docx, .dmp, .fodg, .fodp, .fods, .fodt, .gif, .gz, .jpeg, .jpg, .json, .jsonc, .log, .md, .mov, .mp4, .odf, .odg, .odp, .ods, .odt, .patch, .pdf, .png, .pptx, .svg, .tgz, .txt, .webm, .webp, .xls, .xlsx, .zip",
      "How the names of files may end that are attached to issues and comments, with commas between them; * lets in every file.",
      { accepts: "* or endings such as .png, .txt", pattern: /^(\*|\.[\w.+-]+(\s*,\s*\.[\w.+-]+)*)$/ },
    ),
  },
  releases: {
    maxAssetBytes: size(2 * 2 ** 30, "The largest file that may be attached to a release."),
    assetTypes: text("*", "How the names of files may end that are attached to releases, with commas between them; * lets in every file.", {
      accepts: "* or endings such as .zip, .tar.gz",
      pattern: /^(\*|\.[\w.+-]+(\s*,\s*\.[\w.+-]+)*)$/,
    }),
  },
  archives: {
    enabled: yesOrNo(true, "Offer the files of a branch, tag or commit in one piece, as .zip, .tar.gz and .bundle."),
    maxBytes: size(4 * 2 ** 30, "The most that the files of an archive may take together, unpacked."),
    maxFiles: integer(500_000, "The most files and directories of an archive.", { min: 1 }),
    cacheBytes: size(4 * 2 ** 30, "How much disk the archives may take that are kept to be sent again."),
    keepSeconds: duration(86_400, "How long an unused archive is kept.", { min: 60 }),
  },
  actions: {
    maxArtifactBytes: size(4 * 2 ** 30, "The largest artifact that a run of a workflow may leave."),
    artifactSeconds: duration(90 * 86_400, "How long an artifact is kept, unless its workflow asks for less.", { min: 60 }),
  },
  events: {
    keepSeconds: duration(30 * 86_400, "How long it is remembered what happened, for those who read on from where they were.", {
      min: 3_600,
    }),
  },
  outgoing: {
    allowedHosts: text(
      "external",
      "Where webhooks, mirrors and migrations may call, with commas between: external, private, loopback, *, networks such as 10.1.0.0/16, names such as *.example.org.",
      { accepts: "such words with commas between them", pattern: /^[\w.*:/, -]*$/ },
    ),
  },
  jobs: {
    workers: integer(4, "How many background jobs this process works on at once.", { min: 1, max: 100 }),
  },
  metrics: {
    token: secretText("What Prometheus must show as a bearer token to read /metrics. Without it only this machine may read them."),
  },
  log: {
    level: choice(["silent", "error", "warn", "info", "debug", "trace"], "info", "The least important lines that are logged."),
    format: choice(["auto", "json", "text"], "auto", "How log lines look; auto is text on a terminal and JSON elsewhere."),
  },
} as const satisfies Group

/** Settings by name, in nested groups. */
export interface Group {
  readonly [name: string]: Setting<unknown> | Group
}
