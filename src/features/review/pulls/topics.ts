/** How the names of someone's topics begin: `ann/`. */
export const topicsOf = (login: string): string => `${login.toLowerCase()}/`
