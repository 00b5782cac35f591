/** The newest of the migrations, of which a start with an up-to-date database loads none. */
export const newest = { id: 56, name: "trials-anew" } as const
