import Type from "./schema.ts"
import { address, choice, duration, integer, path, records, type Setting, secretText, size, text, yesOrNo } from "./setting.ts"

const WHEN = ["always", "keyholders", "parents", "never"] as const
const SIGNED = "keyholders: for people who have registered a key of theirs; parents: on top of verified commits."

/** What the groups of a person elsewhere mean here. */
const groupRules = {
  /** Who is in none of them is not let in, and their account is closed. */
  requiredGroups: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  /** Who is in one of them is an administrator, and no one else of this source is. */
  adminGroups: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  /** `GROUP = ORGANIZATION/TEAM`; the name of a group may have equals signs itself. */
  teams: Type.Optional(Type.Array(Type.String({ pattern: "^.*\\S\\s*=\\s*[^\\s/=]+/[^\\s/=]+\\s*$" }))),
  /** Whether who is in none of a team's groups leaves it. */
  leaveTeams: Type.Optional(Type.Boolean()),
}

/** Another server at which people sign in, and which tells us who they are (OpenID Connect). */
export const Provider = Type.Object(
  {
    name: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,30}$" }),
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
    // Without TLS only on the same machine.
    issuer: Type.String({ pattern: "^(https://|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(?=[:/]|$))[^\\s?#@]*$" }),
    clientId: Type.String({ minLength: 1 }),
    clientSecret: Type.String(),
    scopes: Type.Optional(Type.String()),
    registration: Type.Optional(Type.Boolean()),
    linkByEmail: Type.Optional(Type.Boolean()),
    groupClaim: Type.Optional(Type.String({ minLength: 1 })),
    ...groupRules,
  },
  { additionalProperties: false },
)

const attribute = () => Type.Optional(Type.String({ pattern: "^[A-Za-z][A-Za-z0-9.;-]*$" }))

/** A directory (LDAP, Active Directory) whose people sign in here with their password there. */
export const Directory = Type.Object(
  {
    name: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,30}$" }),
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
    url: Type.String({ pattern: "^ldaps?://[^\\s/?#@]+$" }),
    startTls: Type.Optional(Type.Boolean()),
    caFile: Type.Optional(Type.String({ minLength: 1 })),
    /** Who looks people up; without it the directory is asked anonymously. */
    bindDn: Type.Optional(Type.String()),
    bindPassword: Type.Optional(Type.String()),
    /** In place of a look-up: the name that a person binds with, with {login} in it. */
    userDn: Type.Optional(Type.String({ pattern: "\\{login\\}" })),
    userBase: Type.String({ minLength: 1 }),
    userFilter: Type.Optional(Type.String({ pattern: "^\\(.*\\{login\\}.*\\)$" })),
    idAttribute: attribute(),
    loginAttribute: attribute(),
    mailAttribute: attribute(),
    nameAttribute: attribute(),
    groupBase: Type.Optional(Type.String({ minLength: 1 })),
    groupFilter: Type.Optional(Type.String({ pattern: "^\\(.*\\{(dn|login)\\}.*\\)$" })),
    registration: Type.Optional(Type.Boolean()),
    ...groupRules,
  },
  { additionalProperties: false },
)

/** Every setting there is. Types, environment names, checks, `hearth config` and the documents are derived from this table. */
export const settings = {
  dataDir: path("./data", "The folder of everything that Hearth keeps: repositories, pictures, the embedded database and the key."),
  databaseUrl: address(
    "The database. By default the SQLite file hearth.db in dataDir.",
    /^(sqlite:.+|postgres(ql)?:\/\/.+)$/,
    "sqlite:/path/to/file.db, or postgres://user:password@host/name, with commas between a primary and its standbys",
  ),
  storage: {
    url: address(
      "An object store that speaks S3, for files of Git LFS, attachments, packages, pictures, artifacts, logs and caches. By default they are in dataDir.",
      /^s3:\/\//,
      "an address like s3://BUCKET?endpoint=https://host&region=name&path_style=true",
    ),
    accessKey: text("", "The name that the object store knows this server by: an access key."),
    secretKey: secretText("The secret of that access key."),
    place: choice(
      ["store", "folder"],
      "store",
      "Where new files are written when there is an object store; they are found in both places, and `hearth storage move` moves them.",
    ),
    presigned: yesOrNo(
      true,
      "Clients fetch files of Git LFS, packages and what is saved of attachments from the object store itself, and send it files of Git LFS. Off, all bytes pass this server.",
    ),
    cacheBytes: size(
      20 * 2 ** 30,
      "With PostgreSQL and an object store: how many bytes of repositories a server keeps on its own disk, to be quick. What was used least recently goes.",
    ),
  },
  processes: integer(
    0,
    "How many processes serve. By default one, and others while it is busy: as many as there are processors and room in the memory, 8 at most. 1 needs no other process.",
    { max: 64 },
  ),
  database: {
    waitSeconds: duration(
      8,
      "How long a call waits for the database before it is refused: for a connection, for SQLite's lock, or for a sign of life of PostgreSQL. Statements may take longer.",
      { min: 1 },
    ),
    connections: integer(10, "PostgreSQL only: the most connections for reading, and as many for writing; the processes share them.", {
      min: 1,
      max: 1000,
    }),
    transactionPooling: yesOrNo(
      false,
      "PostgreSQL only: databaseUrl is a pooler, such as PgBouncer, that gives each transaction another connection. Statements are not prepared then, and nothing is kept in sessions.",
    ),
    listenUrl: address(
      "PostgreSQL only: the server itself, where databaseUrl is such a pooler: over it processes tell each other what has happened. Without it they look every two seconds.",
      /^postgres(ql)?:\/\/.+$/,
      "postgres://user:password@host/name",
    ),
    replicaUrl: address(
      "PostgreSQL only: a standby that answers reads, for searches and pages to explore: what they show may be a second old then. Where it is further behind or gone, databaseUrl is asked.",
      /^postgres(ql)?:\/\/.+$/,
      "postgres://user:password@host/name",
    ),
  },
  backup: {
    to: address(
      "Where backups go: a folder on another disk, or a bucket of an object store that speaks S3.",
      /^(s3:\/\/|\/(?!.*\.hearth$))/,
      "the path of a folder from the root, or an address like s3://BUCKET?endpoint=https://host&region=name",
    ),
    passphrase: secretText("What backups are sealed with, and can't be read without. Keep it elsewhere too."),
    accessKey: text("", "The access key for backups in an object store. By default storage.accessKey, with its secret."),
    secretKey: secretText("The secret of that access key."),
    schedule: text("", "When a backup is taken by itself, in UTC, like a line of cron: `30 2 * * *` is each night. By default never.", {
      accepts: "five fields of cron, or @daily and the like",
      pattern: /^(@(hourly|daily|midnight|weekly|monthly|annually)|[\d*,/-]+( [\d*,/-]+){4})?$/,
    }),
    keep: text(
      "last=3 daily=7 weekly=5 monthly=12",
      "Which backups stay when one was taken: the last ones, and the last of so many days, weeks and months. Empty keeps all.",
      {
        accepts: "such words: last=3 daily=7 weekly=5 monthly=12",
        pattern: /^((last|daily|weekly|monthly)=\d{1,4}([ ,]+|$))*$/,
      },
    ),
    maxRate: size(0, "The most bytes a second that a backup writes; 0 is no limit."),
  },
  health: {
    minFreeBytes: size(
      256 * 2 ** 20,
      "/api/healthz is ill when the disk of the data folder has less room than this, and warns below four times as much; 0 never is.",
    ),
  },
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
    trustedProxies: text(
      "loopback",
      "The proxies whose X-Forwarded-For is believed, with commas between: none, loopback, private, addresses, networks such as 10.1.0.0/16. They must set that header themselves.",
      { accepts: "such words with commas between them", pattern: /^[\w.:/, -]*$/ },
    ),
    maxConnections: integer(2_000, "How many connections may be open at once, over HTTP and over SSH each.", { min: 1 }),
    maxConnectionsPerAddress: integer(256, "How many of them may be open from one address that is no trusted proxy.", { min: 1 }),
    stallSeconds: duration(60, "A connection is closed when nothing moves on it for this long while the client should send or read.", {
      min: 1,
    }),
    bodySeconds: duration(21_600, "How long the body of a request may take to arrive.", { min: 1 }),
    maxBodiesBytes: size(
      256 * 2 ** 20,
      "How much memory the bodies of API requests and forms may take together; one caller may have half of it.",
    ),
    minBodyRate: size(1024, "The least bytes a second of a body that is on its way, on average over stallSeconds."),
    stopSeconds: duration(25, "How long a stop waits for requests that are under way before it cuts them off."),
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
      ["none", "specified", "json"],
      "none",
      "What comes with a 404: nothing; {errors, message, url} but for the operations whose specification says that there is nothing, for clients that parse it; or that everywhere.",
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
    maxConcurrentPushes: integer(4, "How many pushes are unpacked at once.", { min: 1 }),
    maxConcurrentPushesPerRepository: integer(4, "How many pushes of one repository are unpacked at once.", { min: 1 }),
    maxConcurrentCommands: integer(8, "How many other git commands run at once, such as those that compare commits or list them.", {
      min: 1,
    }),
    maxConcurrentDiffs: integer(4, "How many diffs and patches are sent at once.", { min: 1 }),
    maxConcurrentDownloads: integer(16, "How many files of more than 1 MiB are sent at once.", { min: 1 }),
    maxQueueSeconds: duration(60, "How long work with git waits for its turn before it is refused as busy."),
    maxProcessBytes: size(2 * 2 ** 30, "The address space that one git process may use; 0 sets no limit. On Linux."),
    maxObjectBytes: size(
      128 * 2 ** 20,
      "The largest object of a push that git has to build in memory: a directory, a commit, or a file that is sent as changes to another.",
    ),
    maxComparedBytes: size(4 * 2 ** 20, "Files that are larger are not compared line by line."),
    maxDiffBytes: size(256 * 2 ** 20, "The largest diff or patch that is sent."),
    maxWaitingBytes: size(16 * 2 ** 30, "How much disk requests may take together that wait for their turn."),
    maxPushBytes: size(8 * 2 ** 30, "The largest pack that one push may send."),
    pruneSeconds: duration(
      14 * 86_400,
      "How long commits that no branch or tag reaches any more, as after a force-push, are kept once this was noticed, which is each night.",
      { min: 7_200 },
    ),
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
  packages: {
    enabled: yesOrNo(true, "People and organisations may keep packages, and tools reach them below /api/packages."),
    maxBytes: size(2 * 2 ** 30, "The largest file of a package."),
    maxDocumentBytes: size(
      64 * 2 ** 20,
      "The largest record that a tool may send about a package. npm sends the file in it, a third longer than it is.",
    ),
    maxUnpackedBytes: size(512 * 2 ** 20, "How large the content of an npm package may become when it is unpacked to be checked."),
    maxOwnerBytes: size(0, "How much the files of one owner's packages may take together; 0 sets no limit."),
    maxOwnerVersions: integer(0, "How many versions of packages one owner may have; 0 sets no limit."),
    unusedSeconds: duration(86_400, "Content that no file of a package has any more is removed this long after it was last uploaded.", {
      min: 60,
    }),
  },
  security: {
    passwordMinLength: integer(8, "The shortest password that is accepted.", { min: 1, max: 72 }),
    rememberSignInSeconds: duration(300, "How long a password that was checked is not checked again. 0 checks it with every request."),
    maxConcurrentPasswordChecks: integer(2, "How many passwords are checked at once. Each takes one core and 16 MiB for some 40 ms.", {
      min: 1,
    }),
    guesses: {
      perAccount: integer(
        5,
        "How many wrong passwords, and how many wrong second-factor codes, an account takes before each further try has to wait.",
        {
          min: 1,
          max: 100_000,
        },
      ),
      perAddress: integer(30, "How many wrong passwords a network address (of IPv6 a /64) may send before each further try has to wait.", {
        min: 1,
        max: 100_000,
      }),
      firstWaitSeconds: duration(30, "How long the first of these waits is. Each further wrong try doubles it.", { min: 1 }),
      longestWaitSeconds: duration(3600, "How long such a wait is at most.", { min: 1 }),
      keepSeconds: duration(30 * 86_400, "How long the audit log keeps failed sign-ins.", { min: 3_600 }),
    },
    secretKey: secretText("The key that seals stored secrets. By default the file secret.key in dataDir, made at the first start.", {
      accepts: "32 random bytes in hex (64 digits) or base64",
      pattern: /^([0-9a-fA-F]{64}|[\w+/-]{43}=?)$/,
    }),
    tokenSeconds: duration(
      0,
      "The longest life of new access tokens of people, such as 365d. 0 sets no limit, and they may last for ever.",
    ),
    queryTokens: yesOrNo(false, "Accept tokens as ?token= and ?access_token=. Off, because addresses end up in logs and histories."),
    contact: text(
      "",
      "Where people report vulnerabilities of this site, for /.well-known/security.txt. Without it there is no such file.",
      {
        accepts: "an e-mail address or an https:// address",
        pattern: /^(?:$|[^\s@:/]+@[^\s@]+$|https:\/\/\S+$)/,
      },
    ),
    requireSignIn: yesOrNo(false, "Show nothing to those who are not signed in."),
    sessionSeconds: duration(
      31 * 86_400,
      "How long a browser that a person is to stay signed in with keeps them so while they don't come back.",
      { min: 300 },
    ),
    idleSessionSeconds: duration(
      86_400,
      "How long other browsers keep a person signed in who does nothing; they forget it when they are closed.",
      {
        min: 300,
      },
    ),
    secondFactor: choice(
      ["optional", "administrators", "everyone"],
      "optional",
      "Who needs a second factor, an authenticator app or a passkey. Organizations may require one of their members by themselves.",
    ),
    secondFactorGraceSeconds: duration(
      7 * 86_400,
      "How long people can go on without the second factor that they need: from when it is required, or from when their account is made.",
    ),
    recoverySeconds: duration(10_800, "How long the link in a password recovery mail is valid.", { min: 60 }),
  },
  signIn: {
    providers: records(
      Provider,
      "Other servers at which people can sign in (OpenID Connect), with name, title, issuer, clientId, clientSecret and scopes. With registration those who have no account here may make one. With linkByEmail a user with the address of an account there, verified, is let into the account with that address here: only for servers that you trust with all accounts. The address to register there is /user/oauth2/NAME/callback.",
      {
        accepts: "an array of tables ([[signIn.providers]]) or JSON, each with name, issuer, clientId and clientSecret",
        hides: ["clientSecret"],
      },
    ),
    directories: records(
      Directory,
      "Directories (LDAP, Active Directory) whose people sign in with their password there, with name, url, userBase and more; see docs/oauth2.md. Accounts are made at the first sign-in, unless registration is false.",
      {
        accepts: "an array of tables ([[signIn.directories]]) or JSON, each with name, url and userBase",
        hides: ["bindPassword"],
      },
    ),
    proxy: {
      header: text("", "The header in which a proxy before this server names who has signed in there. Empty takes none.", {
        accepts: "the name of a header, such as X-Webauth-User",
        pattern: /^([A-Za-z][A-Za-z0-9-]*)?$/,
      }),
      networks: text(
        "none",
        "The proxies that are believed, by the address of their connection, with commas between: none, loopback, private, addresses, networks. They must take that header out of what others send.",
        { accepts: "such words with commas between them", pattern: /^[\w.:/, -]*$/ },
      ),
      mailHeader: text("", "The header with that person's e-mail address, for a new account.", {
        accepts: "the name of a header",
        pattern: /^([A-Za-z][A-Za-z0-9-]*)?$/,
      }),
      nameHeader: text("", "The header with that person's full name, for a new account.", {
        accepts: "the name of a header",
        pattern: /^([A-Za-z][A-Za-z0-9-]*)?$/,
      }),
      registration: yesOrNo(false, "Who has no account gets one at their first visit through that proxy."),
      programs: yesOrNo(false, "The header counts for the API, git and other programs too, not only for pages."),
    },
  },
  oauth2: {
    enabled: yesOrNo(
      true,
      "People may let applications act for them (OAuth2), and sign in elsewhere with their account here (OpenID Connect).",
    ),
    accessTokenSeconds: duration(3_600, "How long an application can use an access token.", { min: 60 }),
    refreshTokenSeconds: duration(730 * 3_600, "How long after its last use an application can get a new access token by itself.", {
      min: 60,
    }),
    customSchemes: text(
      "",
      "Schemes of addresses, beside http and https, at which applications may receive their codes, with commas between them.",
      {
        accepts: "such as com.example.app; none that browsers run",
        pattern: /^(\s*(?!(?:javascript|data|vbscript|file|blob|about|view-source)\s*(?:,|$))[a-z][a-z0-9+.-]*\s*(,(?=.)|$))*$/,
      },
    ),
  },
  mcp: {
    enabled: yesOrNo(true, "Agents may use what the API offers by the Model Context Protocol, at /api/mcp, with an access token."),
    toolsets: text("default", "The toolsets of agents that ask for none, with commas between them; see docs/agents.md.", {
      accepts: "names such as default, issues, pulls",
      pattern: /^[a-z]+(\s*,\s*[a-z]+)*$/,
    }),
    concurrentCalls: integer(8, "How many calls of one person one process has under way at once.", { min: 1 }),
    callSeconds: duration(60, "How long an agent waits for the answer of one call.", { min: 1 }),
    resultCharacters: integer(20_000, "How many characters one part of an answer to an agent has at most.", { min: 1_000 }),
  },
  repository: {
    defaultBranch: text("main", "The default branch of new repositories.", {
      accepts: "a branch name",
      pattern: /^(?!refs\/|HEAD$)[\w][\w./-]*$/,
    }),
    defaultPrivate: yesOrNo(false, "New repositories are private unless their maker says otherwise on the web."),
    forcePrivate: yesOrNo(false, "New repositories are always private, and none can be made public."),
    maxPerUser: integer(-1, "How many repositories a user or organisation may own unless set for that one; -1 sets no limit.", { min: -1 }),
    importDir: text(
      "",
      "The folder with bare repositories that administrators may adopt, as OWNER/NAME.git. By default the folder import in dataDir.",
      {
        accepts: "a path",
        pattern: /^[^\0]*$/,
      },
    ),
    visibilityByOwnersOnly: yesOrNo(false, "Only owners of an organisation change the visibility of its repositories."),
  },
  signing: {
    key: choice(
      ["none", "ssh", "openpgp"],
      "none",
      "The kind of key that the site signs commits with which it makes for people. The first start makes one, and hearth signing-key imports or replaces it.",
    ),
    name: text("Hearth", "The name in a new OpenPGP key, and of the signer of such commits."),
    email: text("", "The address that goes with that name. By default signing@ and users.noReplyDomain.", {
      accepts: "an e-mail address",
      pattern: /^[^\s@<>]+@[^\s@<>]+$/,
    }),
    initial: choice(["always", "keyholders", "never"], "always", `When the site signs first commits of new repositories. ${SIGNED}`),
    contents: choice(WHEN, "always", `When it signs changes of files through the API and the web. ${SIGNED}`),
    wiki: choice(WHEN, "always", `When it signs changes of wikis. ${SIGNED}`),
    merges: choice(WHEN, "always", `When it signs merges, squashes and rebases. ${SIGNED}`),
    keepUserKeys: yesOrNo(true, "People may let the site keep a key of theirs, which signs the commits that it makes for them."),
  },
  users: {
    registration: choice(
      ["closed", "invitation", "open"],
      "closed",
      "Who makes accounts: administrators only, also people who were invited by mail, or everyone who has an e-mail address.",
    ),
    invitationSeconds: duration(7 * 86_400, "How long the link of an invitation is good.", { min: 300 }),
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
  newcomers: {
    gate: choice(
      ["free", "limited", "held"],
      "free",
      "What happens to first issues and pull requests, where owners and repositories say nothing else: nothing, they are limited, or they wait until somebody who may write there approves them.",
    ),
    days: integer(7, "Accounts that are younger, and those without a verified address, are newcomers. 0 makes all accounts newcomers.", {
      max: 3650,
    }),
    perDay: integer(3, "How many issues and pull requests a newcomer may open in one repository a day. 0 sets no limit.", { max: 10_000 }),
    perAccountDay: integer(10, "How many issues and pull requests a newcomer may open in all gated repositories a day. 0 sets no limit.", {
      max: 10_000,
    }),
    waitingPerAccount: integer(10, "How many of an account may wait at once.", { min: 1, max: 10_000 }),
    waitingPerRepository: integer(200, "How many may wait in one repository at once.", { min: 1, max: 100_000 }),
    keepSeconds: duration(90 * 86_400, "How long what waits, and what was decided, is kept.", { min: 86_400 }),
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
    maxArchiveBytes: size(2 * 2 ** 30, "The largest archive of another server that someone may send to import it."),
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
  highlighting: {
    cacheBytes: size(32 * 2 ** 20, "How much memory highlighted code may take that is kept for the next reader; 0 keeps none."),
  },
  markup: {
    remoteImages: choice(
      ["proxy", "link"],
      "proxy",
      "Pictures of other sites in texts: this server fetches them for the readers, whom the other site does not learn of, or they are named and not shown.",
    ),
    maxRemoteImageBytes: size(5 * 2 ** 20, "The largest picture of another site that is shown."),
    remoteImageCacheBytes: size(
      32 * 2 ** 20,
      "How much memory pictures of other sites may take that are kept for the next reader; 0 keeps none.",
    ),
  },
  actions: {
    maxArtifactBytes: size(4 * 2 ** 30, "The largest artifact that a run of a workflow may leave."),
    maxArtifactBytesPerRun: size(20 * 2 ** 30, "How much the artifacts of one run may take together."),
    maxArtifactBytesPerRepository: size(100 * 2 ** 30, "How much the artifacts of one repository may take together until they expire."),
    maxCacheBytes: size(
      10 * 2 ** 30,
      "How much the caches of one repository may take together, each counted as 1 MiB at least. Those that were not used for longest are removed; 0 keeps none.",
    ),
    cacheSeconds: duration(7 * 86_400, "How long a cache is kept that no job uses.", { min: 60 }),
    artifactSeconds: duration(90 * 86_400, "How long an artifact is kept, unless its workflow asks for less.", { min: 60 }),
    maxJobMinutes: integer(360, "How long a job of a workflow may run, unless it asks for less.", { min: 1, max: 35_791 }),
    sourceUrl: text(
      "https://github.com",
      "Where runners fetch actions that workflows name by owner and repository alone: an address without a slash at its end, or self for this server.",
      { accepts: "self, or an http:// or https:// address without a slash at its end", pattern: /^(self|https?:\/\/[^\s?#]*[^\s?#/])$/ },
    ),
  },
  events: {
    keepSeconds: duration(30 * 86_400, "How long it is remembered what happened, for those who read on from where they were.", {
      min: 3_600,
    }),
    streams: integer(10_000, "How many may follow what happens at once, by the API.", { min: 1 }),
    streamsPerCaller: integer(20, "How many of them may be one person's, or come from one address without a sign-in.", { min: 1 }),
  },
  undo: {
    keepSeconds: duration(7 * 86_400, "How long what was deleted can be restored; 0 keeps nothing.", { min: 0 }),
    maxBytes: size(8 * 2 ** 20, "The most bytes that the rows of one deleted thing may take; what is larger can't be restored."),
    ownerBytes: size(128 * 2 ** 20, "How much is kept of the deleted rows of one owner; of who deleted most, the oldest goes first."),
    ownerFileBytes: size(10 * 2 ** 30, "The same for deleted repositories and attached files."),
  },
  audit: {
    keepSeconds: duration(365 * 86_400, "How long the audit log of an organization is kept; 0 keeps none.", { min: 0 }),
  },
  outgoing: {
    allowedHosts: text(
      "external",
      "What webhooks, mirrors, migrations and pictures of other sites may call, with commas between: external, private, loopback, *, networks such as 10.1.0.0/16, names such as *.example.org.",
      { accepts: "such words with commas between them", pattern: /^[\w.*:/, -]*$/ },
    ),
  },
  limits: {
    workSteps: integer(
      50_000_000,
      "The most steps, of some ten nanoseconds each, that a request or a push may take to compare patterns, rules and filters with names; others have their turns meanwhile. Beyond it is refused.",
      { min: 1000 },
    ),
    textBytes: size(
      256 * 2 ** 10,
      "The longest text that someone sends, such as that of an issue, a comment or a release, where nothing shorter is declared.",
    ),
    listItems: integer(
      1000,
      "The most entries of a list that someone sends, such as labels or assignees, where nothing shorter is declared.",
      {
        min: 1,
      },
    ),
    rules: integer(500, "The most rules for branches, and the most rules for tags, of one repository.", { min: 1, max: 10_000 }),
    pushReferences: integer(
      10_000,
      "The most branches, tags and other references that one push may change. More are refused as a whole, before anything is written: git writes a file for each, and flushes it to the disk.",
      { min: 1, max: 30_000 },
    ),
    contributionsSeconds: duration(
      60,
      "How long git may compare the commits of a push, or of a whole history, to count who contributed what. What was counted by then, the newest commits, is what is shown.",
      { min: 1 },
    ),
    packageVersionBytes: size(
      256 * 2 ** 10,
      "The most characters of the package.json and the README of one version of an npm package together.",
    ),
    packageRecordBytes: size(
      16 * 2 ** 20,
      "The most characters of those of all versions of one npm package together: its record, which tools fetch, has all of them.",
    ),
    secretsBytes: size(
      512 * 2 ** 10,
      "The most bytes of all secrets for workflows of one repository or owner together, as they are stored: sealed, which takes a third more.",
    ),
  },
  jobs: {
    workers: integer(4, "How many background jobs this process works on at once.", { min: 1, max: 100 }),
  },
  metrics: {
    token: secretText("What Prometheus must show as a bearer token to read /metrics. Without it only this machine may read them."),
  },
  log: {
    level: choice(
      ["auto", "silent", "error", "warn", "info", "debug", "trace"],
      "auto",
      "The least important lines that are logged; auto is warn where log.format is auto and they go to a terminal, and info elsewhere.",
    ),
    format: choice(
      ["auto", "json", "text"],
      "auto",
      "How log lines look: json for programs, text for people, with fields and stacks; auto is short text on a terminal and json elsewhere.",
    ),
  },
} as const satisfies Group

/** Settings by name, in nested groups. */
export interface Group {
  readonly [name: string]: Setting<unknown> | Group
}
