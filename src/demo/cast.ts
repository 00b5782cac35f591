/** Who and what the example is about: a small, invented maker of a program that waters gardens. */

export interface Member {
  readonly fullName: string
  readonly location: string
  readonly description: string
  /** Minutes east of UTC, where the person's computer stands. */
  readonly offset: number
}

export const members = {
  mira: { fullName: "Mira Holm", location: "Aarhus", description: "Started Sprinkle because of one dead tomato too many.", offset: 120 },
  tomas: { fullName: "Tomás Reyes", location: "Seville", description: "Botany by day, JavaScript by night.", offset: 120 },
  noor: { fullName: "Noor Haddad", location: "Amman", description: "Sensors, tests, and other ways to be wrong sooner.", offset: 180 },
  lena: { fullName: "Lena Brandt", location: "Leipzig", description: "Forty beds, one hose.", offset: 120 },
  ivo: { fullName: "Ivo Lindqvist", location: "Umeå", description: "Growing cucumbers where nobody should.", offset: 120 },
} as const satisfies Readonly<Record<string, Member>>

export type Author = keyof typeof members

export const authors: readonly Author[] = ["mira", "tomas", "noor", "lena", "ivo"]

export const addressOf = (author: Author): string => `${author}@dewpoint.example`

export const organization = {
  username: "dewpoint",
  full_name: "Dewpoint",
  description: "Water where it is needed, and nowhere else.",
  location: "Everywhere it rains too little",
  email: "hello@dewpoint.example",
  website: "https://dewpoint.example",
} as const

/** Mira founded it and owns it; the others belong to a team each. */
export const founder: Author = "mira"

export const builders = {
  wanted: {
    name: "builders",
    description: "Write the program",
    visibility: "limited",
    includes_all_repositories: true,
    can_create_org_repo: true,
    units_map: { "repo.code": "write", "repo.issues": "write", "repo.pulls": "write", "repo.releases": "write", "repo.wiki": "write" },
  },
  members: ["tomas", "noor", "lena"],
} as const

export const gardeners = {
  wanted: {
    name: "gardeners",
    description: "Try it in their gardens and say what is wrong",
    visibility: "limited",
    units_map: { "repo.code": "read", "repo.issues": "write", "repo.pulls": "read", "repo.wiki": "write" },
  },
  members: ["lena", "ivo"],
} as const

export const sprinkle = {
  name: "sprinkle",
  description: "Decides each morning which garden beds need water",
  topics: ["gardening", "weather", "sensors", "command-line", "javascript"],
  stars: ["tomas", "noor", "lena", "ivo"],
  watches: ["ivo"],
} as const

export const fieldNotes = {
  name: "field-notes",
  description: "What grows where, what the sensors did, and what we learnt from it",
  topics: ["gardening", "diary"],
  stars: ["lena"],
} as const

/** Ivo's fork of sprinkle. */
export const fork = { by: "ivo", topics: ["gardening", "greenhouse"], stars: ["mira"] } as const
