import type { Recognised } from './recognised.ts';

/** Its format is not documented: told by words of its program in a file that is no text, or by its name. */
export const nsightSystemsReport: Recognised = {
  is: 'an Nsight Systems report',
  but: 'whose format is not public',
  instead:
    'export it with `nsys export --type sqlite --output run.sqlite run.nsys-rep`, and open that',
  isIn: ({ bytes }) => bytes.includes(0) && /QuadD|Nsight Systems/.test(bytes.toString('latin1')),
  name: /\.(?:nsys-rep|qdrep|qdstrm)$/i,
};
