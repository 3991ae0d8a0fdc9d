import { NOT_YET, RECORD, type Recognised } from './recognised.ts';

/** Its format is not documented: told by words of its program in a file that is no text, or by its name. */
export const nsightSystemsReport: Recognised = {
  is: 'an Nsight Systems report',
  but: "which Stalltrace can't read yet, nor what `nsys export` makes of it",
  instead: `look at it in Nsight Systems, or ${RECORD}`,
  isIn: ({ bytes }) => bytes.includes(0) && /QuadD|Nsight Systems/.test(bytes.toString('latin1')),
  name: /\.(?:nsys-rep|qdrep|qdstrm)$/i,
};

const ANY_EXPORT =
  /^(?:meta_data_export|export_meta_data|target_info_session_start_time|cupti_activity_kind_|nvtx_events$|osrt_api$)/;

/** Made by `nsys export --type sqlite`; of its tables only StringIds is in every version. */
export const nsightSystemsExport: Recognised = {
  is: 'an SQLite export of an Nsight Systems report',
  but: NOT_YET,
  instead: `look at the report in Nsight Systems, or ${RECORD}`,
  hasTables: (tables) =>
    tables.has('stringids') && [...tables].some((table) => ANY_EXPORT.test(table)),
};
