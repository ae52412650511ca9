import type { SURFACES } from './nouns/tool-contract.js';

export interface Plane {
  readonly plane_id: string;
  readonly title: string;
  readonly surface: (typeof SURFACES)[number];
  readonly summary: string;
}

/** Planes are data: a tool names its plane, a lease sees planes through its profile. */
export const PLANES = {
  adaos_dev: {
    plane_id: 'adaos_dev',
    title: 'AdaOSDevPlane',
    surface: 'development',
    summary:
      'Curated, machine-readable contracts for authoring skills and scenarios; served by root, never by a hub.',
  },
  infra_ops: {
    plane_id: 'infra_ops',
    title: 'InfraOpsPlane',
    surface: 'operations',
    summary: 'Typed, bounded operations on managed targets, published by infra_access_skill.',
  },
  zone_admin: {
    plane_id: 'zone_admin',
    title: 'ZoneAdminPlane',
    surface: 'operations',
    summary: 'Acts on the zone itself: operators, keys, policies. No lease profile holds any of it.',
  },
} as const;
export type PlaneId = keyof typeof PLANES;
