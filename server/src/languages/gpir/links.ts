import type { Link } from '../language.js';

/** A program names no other file. */
export const links = (): readonly Link[] => [];
